/*
 * Sets a new password by the token behind `#`. The token leaves the address at once, so that it
 * stays in no history, and goes to this server alone.
 */

{
  const token = location.hash.slice(1);
  history.replaceState(null, '', location.pathname + location.search);
  const form = document.querySelector('#reset');
  const told = document.querySelector('#told');
  const password = document.querySelector('#password');
  const button = form.querySelector('button');
  const words = JSON.parse(form.dataset.words);

  function end(text) {
    form.hidden = true;
    told.textContent = text;
  }

  if (token === '') end(words.noToken);

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    const query = `mutation($token: String!, $password: String!) {
      authPasswordReset(token: $token, newPassword: $password) { endedSessions }
    }`;
    try {
      const response = await fetch('/graphql', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, variables: { token, password: password.value } }),
      });
      const { errors } = await response.json();
      if (errors) told.textContent = errors[0].message;
      else end(words.done);
    } catch {
      told.textContent = words.failed;
    }
    button.disabled = false;
  });
}
