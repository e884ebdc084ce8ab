/*
 * Runs the checks from the page. Progress comes as server-sent events of the subscription over
 * fetch, so that the key stands in a header and never in an address; the answer of the mutation
 * fills in whatever the progress did not tell. Values of answers are only ever set as text. After a
 * run the page shows what is left to do for production, and makes and takes back the link to the
 * sealed report, all with the key of that run.
 */

{
  const form = document.querySelector('#cockpit');
  const outcome = document.querySelector('#outcome');
  const button = form.querySelector('button');
  // What the script says stands in the page, in the language of the page.
  const words = JSON.parse(form.dataset.words);
  const language = document.documentElement.lang;

  const RUN =
    'mutation($model: String) { migrationCheckRun(model: $model) { id status costRub ' +
    'checks { code status message fix latencyMs costRub simulated evidence { ' +
    '... on MigrationSilenceEvidence { failure } ' +
    '... on MigrationRefusalEvidence { errorCode } ' +
    '... on MigrationAuthEvidence { kind role } ' +
    '... on MigrationModelsEvidence { models model } ' +
    '... on MigrationChatEvidence { model finishReason totalTokens contentCharacters } ' +
    '... on MigrationStreamEvidence { contentType chunks contentChunks done } ' +
    '... on MigrationEmbeddingsEvidence { model dimensions } ' +
    '... on MigrationToolCallEvidence { model tool arguments } ' +
    '... on MigrationErrorFormatEvidence { errorType missing } } } } }';
  const FOLLOW =
    'subscription { migrationCheckEvents { type ' +
    'payload { ... on MigrationCheck { code status message fix latencyMs costRub simulated } } } }';

  const SHARE =
    'mutation($runId: ID!) { migrationReportShare(runId: $runId) { url expiresAt simulated } }';
  const UNSHARE = 'mutation($runId: ID!) { migrationReportUnshare(runId: $runId) { shared } }';
  const READINESS = '{ organizationReadiness { percent items { title done simulated closedBy } } }';
  const JSON_ONLY = 'application/graphql-response+json, application/json';

  const share = document.querySelector('#share');
  const shared = document.querySelector('#shared');
  const openLink = document.querySelector('#open-link');
  const takeLink = document.querySelector('#take-link');
  const link = document.querySelector('#link');
  const linkLine = document.querySelector('#link-line');
  const readiness = document.querySelector('#readiness');
  // The last run and the key that made it.
  let last;

  function post(query, variables, key, accept, signal) {
    return fetch('/graphql', {
      method: 'POST',
      headers: {
        accept,
        'accept-language': language,
        'content-type': 'application/json',
        authorization: `Bearer ${key}`,
      },
      body: JSON.stringify({ query, variables }),
      signal,
    });
  }

  function said(template, values) {
    return template.replace(/\{(\w+)\}/g, (_, name) => values[name]);
  }

  function part(row, name) {
    return row.querySelector(`[data-part="${name}"]`);
  }

  function show(check) {
    const row = [...document.querySelectorAll('[data-check]')].find(
      (candidate) => candidate.dataset.check === check.code,
    );
    if (!row) return;
    const word = words.statuses[check.status] || check.status;
    part(row, 'status').textContent = check.simulated ? `${word} (${words.simulated})` : word;
    const isShown = check.status === 'pass' && !check.simulated;
    part(row, 'status').className = isShown ? 'yes' : '';
    part(row, 'time').textContent = check.latencyMs == null ? '' : `${check.latencyMs} ${words.ms}`;
    part(row, 'cost').textContent = check.costRub == null ? '' : `${check.costRub} ${words.rub}`;
    part(row, 'seen').textContent = [check.message, check.fix].filter(Boolean).join(' ');
    row.title = check.evidence ? JSON.stringify(check.evidence) : '';
  }

  function reset() {
    for (const row of document.querySelectorAll('[data-check]')) {
      show({ code: row.dataset.check, status: 'waiting', message: '' });
    }
  }

  function told(block) {
    const lines = block.split('\n').filter((line) => line.startsWith('data:'));
    const text = lines.map((line) => line.slice(5).trim()).join('');
    if (!text) return;
    const event = JSON.parse(text).data?.migrationCheckEvents;
    if (event?.type !== 'checked') return;
    show(event.payload);
  }

  // Resolves when the server follows, so that no event of the run is missed.
  async function follow(key, signal) {
    const response = await post(FOLLOW, {}, key, 'text/event-stream', signal);
    if (!response.ok || !response.body) return;
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    (async () => {
      let rest = '';
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return;
        const blocks = (rest + value).split('\n\n');
        rest = blocks.pop();
        blocks.forEach(told);
      }
    })().catch(() => {});
  }

  async function run(key, model) {
    const following = new AbortController();
    try {
      await follow(key, following.signal).catch(() => {});
      const response = await post(RUN, { model }, key, JSON_ONLY);
      const { data, errors } = await response.json();
      const done = data?.migrationCheckRun;
      if (!done) return errors?.[0]?.message || words.runRefused;
      done.checks.forEach(show);
      last = { key, id: done.id };
      share.hidden = false;
      const status = words.runStatuses[done.status] || done.status;
      return said(words.ended, { status, cost: `${done.costRub} ${words.rub}` });
    } finally {
      following.abort();
    }
  }

  async function ask(query, variables, key) {
    const response = await post(query, variables, key, JSON_ONLY);
    const { data, errors } = await response.json();
    if (!data || errors) throw new Error(errors?.[0]?.message || words.serverRefused);
    return data;
  }

  function element(name, text, className = '') {
    const made = document.createElement(name);
    made.textContent = text;
    made.className = className;
    return made;
  }

  function wordOf({ done, simulated }) {
    if (done) return words.done;
    return simulated ? `${words.open} (${words.simulated})` : words.open;
  }

  async function showReadiness(key) {
    const found = (await ask(READINESS, {}, key)).organizationReadiness;
    document.querySelector('#percent').textContent = `${found.percent} %`;
    const rows = found.items.map((item) => {
      const row = element('li', '');
      row.append(element('span', wordOf(item), item.done ? 'yes' : 'todo'), ` ${item.title}`);
      if (!item.done) row.append(element('code', item.closedBy, 'call soft'));
      return row;
    });
    document.querySelector('#items').replaceChildren(...rows);
    readiness.hidden = false;
  }

  function showLink({ url, expiresAt }) {
    link.href = url;
    link.textContent = url;
    shared.textContent = said(words.linked, { day: expiresAt.slice(0, 10) });
    linkLine.hidden = false;
    takeLink.hidden = false;
  }

  openLink.addEventListener('click', async () => {
    const { key, id } = last;
    await ask(SHARE, { runId: id }, key).then(
      (data) => showLink(data.migrationReportShare),
      (error) => shared.replaceChildren(error.message),
    );
  });

  takeLink.addEventListener('click', async () => {
    const { key, id } = last;
    await ask(UNSHARE, { runId: id }, key).then(
      () => {
        shared.replaceChildren(words.takenBack);
        takeLink.hidden = true;
        linkLine.hidden = true;
        openLink.focus();
      },
      (error) => shared.replaceChildren(error.message),
    );
  });

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    reset();
    share.hidden = true;
    takeLink.hidden = true;
    linkLine.hidden = true;
    readiness.hidden = true;
    shared.replaceChildren();
    outcome.textContent = words.running;
    const key = document.querySelector('#key').value.trim();
    const model = document.querySelector('#model').value.trim() || null;
    outcome.textContent = await run(key, model).catch(() => words.unreachable);
    // Whoever may not read it has no list; the checks have told the rest.
    if (!share.hidden) await showReadiness(key).catch(() => {});
    button.disabled = false;
  });
}
