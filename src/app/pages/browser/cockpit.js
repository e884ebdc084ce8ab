/*
 * Runs the checks from the page. Progress comes as server-sent events of the subscription over
 * fetch, so that the key stands in a header and never in an address; the answer of the mutation
 * fills in whatever the progress did not tell. Values of answers are only ever set as text.
 */

{
  const form = document.querySelector('#cockpit');
  const outcome = document.querySelector('#outcome');
  const button = form.querySelector('button');
  const language = document.documentElement.lang;
  const words = {
    en: {
      status: { pass: 'pass', fail: 'fail', skipped: 'skipped', waiting: '…' },
      simulated: 'simulated',
      milliseconds: 'ms',
      rubles: 'RUB',
      refused: 'The run was refused.',
      running: 'The checks are running.',
      unreachable: 'The server cannot be reached.',
      ended: {
        passed: 'The run passed and cost',
        passed_simulated: 'The run passed on simulated answers and cost',
        failed: 'The run failed and cost',
      },
    },
    ru: {
      status: { pass: 'пройдено', fail: 'не пройдено', skipped: 'пропущено', waiting: '…' },
      simulated: 'имитация',
      milliseconds: 'мс',
      rubles: '₽',
      refused: 'Проверка не начата: сервер отказал.',
      running: 'Проверки выполняются.',
      unreachable: 'Сервер недоступен.',
      ended: {
        passed: 'Все проверки пройдены. Стоимость:',
        passed_simulated: 'Проверки пройдены на имитации ответов. Стоимость:',
        failed: 'Проверки не пройдены. Стоимость:',
      },
    },
  }[language];

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

  function part(row, name) {
    return row.querySelector(`[data-part="${name}"]`);
  }

  function show(check) {
    const row = [...document.querySelectorAll('[data-check]')].find(
      (candidate) => candidate.dataset.check === check.code,
    );
    if (!row) return;
    const word = words.status[check.status] || check.status;
    part(row, 'status').textContent = check.simulated ? `${word} (${words.simulated})` : word;
    const isShown = check.status === 'pass' && !check.simulated;
    part(row, 'status').className = isShown ? 'yes' : '';
    part(row, 'time').textContent =
      check.latencyMs == null ? '' : `${check.latencyMs} ${words.milliseconds}`;
    part(row, 'cost').textContent = check.costRub == null ? '' : `${check.costRub} ${words.rubles}`;
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
      const accept = 'application/graphql-response+json, application/json';
      const response = await post(RUN, { model }, key, accept);
      const { data, errors } = await response.json();
      const done = data?.migrationCheckRun;
      if (!done) return errors?.[0]?.message || words.refused;
      done.checks.forEach(show);
      const ended = words.ended[done.status] || done.status;
      return `${ended} ${done.costRub} ${words.rubles}.`;
    } finally {
      following.abort();
    }
  }

  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    reset();
    outcome.textContent = words.running;
    const key = document.querySelector('#key').value.trim();
    const model = document.querySelector('#model').value.trim() || null;
    outcome.textContent = await run(key, model).catch(() => words.unreachable);
    button.disabled = false;
  });
}
