// Registers a customer with funds at BASE and prints its key as JSON.
const { BASE } = process.env;

async function post(path, body, credential) {
  const response = await fetch(BASE + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(credential ? { authorization: `Bearer ${credential}` } : {}),
    },
    body: JSON.stringify(body),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${JSON.stringify(answer)}`);
  return answer;
}

const { accessToken } = await post('/auth/register', {
  email: `bench-${Date.now()}@example.test`,
  password: 'correct horse battery',
  organization: 'Bench',
});
const { key } = await post('/api-keys', { keyType: 'service', name: 'bench' }, accessToken);
await post('/billing/top-up/manual', { amount_rub: 10_000_000 }, accessToken);
if (process.argv[2] === 'with-cache') {
  const contract = {
    contract_key: 'default',
    exact_cache_enabled: true,
    exact_cache_seconds: 86_400,
  };
  await post('/v1/gw/workloads/contracts', contract, accessToken);
}
console.log(JSON.stringify({ KEY: key }));
