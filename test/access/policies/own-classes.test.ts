import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, customerUnder, type ErrorBody, newPolicy, outcome } from '../../journeys/people.js';
import { INSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { rest } from '../../support/app.js';

let app: RoutedApp;
beforeAll(async () => {
  app = await startRoutedApp();
});
afterAll(() => app.stop());

function received(): string {
  return app.double.received('inside').at(-1)?.body ?? '';
}

const PROJECT = {
  name: 'project_name',
  words: ['Северное сияние', 'Ёлка'],
  patterns: ['NS-[0-9]{4}'],
  mode: 'mask',
  data_class: 'C3',
};
const ASKED = 'Что с проектом СЕВЕРНОЕ  СИЯНИЕ (NS-1234)? Елка готова, ёлкам рано.';

describe("a policy's own class", () => {
  it('is masked, counted under its name, and decides about routes by its data class', async () => {
    const customer = await customerUnder(app, { firewall_custom: [PROJECT] });
    app.double.script('inside', { text: 'По [[GW_PROJECT_NAME_1]] всё хорошо.' });
    const answer = await chat(app, customer.key, ASKED);
    app.double.script('inside', {});
    expect(received()).toContain(
      'Что с проектом [[GW_PROJECT_NAME_1]] ([[GW_PROJECT_NAME_2]])? ' +
        '[[GW_PROJECT_NAME_3]] готова, ёлкам рано.',
    );
    expect(answer.body.choices[0]?.message.content).toBe('По СЕВЕРНОЕ  СИЯНИЕ всё хорошо.');
    expect(answer.body.gw_firewall).toMatchObject({
      verdict: 'masked',
      data_class: 'C3',
      mode: { project_name: 'mask' },
      findings: [{ class: 'project_name', count: 3, confidence: 'confirmed' }],
      masked: [{ class: 'project_name', count: 3 }],
    });
    const { rows } = await app.owner.pool.query(
      'SELECT firewall_findings FROM usage_event WHERE tenant_id = $1',
      [customer.tenantId],
    );
    expect(rows).toEqual([{ firewall_findings: { project_name: 3 } }]);
  });

  it('refuses the request under block and leaves other organizations alone', async () => {
    const customer = await customerUnder(app, {
      firewall_custom: [{ name: 'partner', words: ['Заря'], mode: 'block' }],
    });
    const refused = await chat(app, customer.key, 'Партнёр — заря.');
    expect(outcome(refused)).toBe('403 firewall_blocked');
    expect(refused.body.error.message).toBe('The firewall blocked the request: partner.');
    const other = await customerUnder(app, {});
    expect((await chat(app, other.key, 'Партнёр — заря.')).body.gw_firewall.findings).toEqual([]);
  });

  it('of two policies has all words, and the strictest mode', async () => {
    const customer = await customerUnder(app, {
      hybrid: 'rf_only',
      firewall_custom: [{ name: 'partner', words: ['Заря'], mode: 'detect' }],
    });
    await newPolicy(app, customer.token, {
      name: 'second',
      firewall_custom: [{ name: 'partner', patterns: ['(?i)луч-[0-9]+'], mode: 'mask' }],
    });
    const answer = await chat(app, customer.key, 'Заря и Луч-5');
    expect(received()).toContain('[[GW_PARTNER_1]] и [[GW_PARTNER_2]]');
    expect(answer.body.gw_firewall.findings).toEqual([
      { class: 'partner', count: 2, confidence: 'confirmed' },
    ]);
  });

  it('is replaced in what a model says, whole and streamed', async () => {
    const { key } = await customerUnder(app, { hybrid: 'rf_only', firewall_custom: [PROJECT] });
    app.double.script('inside', { text: 'Слышали о проекте Северное сияние? Да.', splitBytes: 3 });
    const whole = await chat(app, key);
    const stream = await chat(app, key, 'Здравствуйте', { stream: true, model: INSIDE });
    app.double.script('inside', {});
    expect(whole.body.choices[0]?.message.content).toBe('Слышали о проекте [project_name]? Да.');
    const said = [...String(stream.body as unknown).matchAll(/"content":"([^"]*)"/g)];
    expect(said.map((match) => match[1]).join('')).toBe('Слышали о проекте [project_name]? Да.');
  });

  it('stays when a change leaves it out, and goes when it is lifted', async () => {
    const customer = await customerUnder(app, {});
    const { id } = await newPolicy(app, customer.token, { firewall_custom: [PROJECT] });
    const change = (body: object) =>
      rest<{ version: number; firewall_custom: unknown[] }>(app, 'PATCH', `/v1/gw/policies/${id}`, {
        credential: customer.token,
        body,
      });
    expect((await change({ limits: { rpm: 5 } })).body.firewall_custom).toEqual([PROJECT]);
    const lifted = await change({ firewall_custom: null });
    expect(lifted.body).toMatchObject({ version: 3, firewall_custom: [] });
  });

  it('has every fault named by its place at once', async () => {
    const { token } = await customerUnder(app, {});
    const { status, body } = await rest<ErrorBody>(app, 'POST', '/v1/gw/policies', {
      credential: token,
      body: {
        firewall_custom: [
          { name: 'Bad name', words: ['ок', '—', 'x'], mode: 'mask' },
          { name: 'phone', patterns: ['(?=a)', 'a*', '(', 'ok[0-9]'], mode: 'mask' },
          { name: 'twice', words: ['раз'], mode: 'mask' },
          { name: 'twice', mode: 'mask' },
        ],
      },
    });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path, code }) => `${path} ${code}`)).toEqual([
      'firewall_custom.0.name invalid',
      'firewall_custom.0.words.1 out_of_range',
      'firewall_custom.0.words.2 out_of_range',
      'firewall_custom.1.name invalid',
      'firewall_custom.1.patterns.0 invalid',
      'firewall_custom.1.patterns.1 invalid',
      'firewall_custom.1.patterns.2 invalid',
      'firewall_custom.3.name invalid',
      'firewall_custom.3 invalid',
    ]);
  });
});

it('a word or a pattern of half a surrogate pair is refused, not lost', async () => {
  const { token } = await customerUnder(app, {});
  for (const part of ['words', 'patterns']) {
    const broken = { ...PROJECT, words: [], patterns: [], [part]: ['xy\ud800'] };
    const { status, body } = await rest<ErrorBody>(app, 'POST', '/v1/gw/policies', {
      credential: token,
      body: { name: 'broken', firewall_custom: [broken] },
    });
    expect([status, body.error.param]).toEqual([400, `firewall_custom.0.${part}.0`]);
  }
});

describe('the patterns of all policies of an organization', () => {
  /** Two classes of ten patterns of some 900 instructions. */
  const classOf = (name: string, count: number) => ({
    name,
    patterns: Array.from({ length: count }, (_, at) => `${at}x{900}`),
    mode: 'mask',
  });
  const wide = [classOf('one', 10), classOf('two', 10)];

  it('have at most 20,000 instructions together, and others have their own', async () => {
    const { token } = await customerUnder(app, {});
    const other = await customerUnder(app, {});
    const { id } = await newPolicy(app, token, { firewall_custom: wide });
    const more = { name: 'more', firewall_custom: [classOf('three', 3)] };
    const define = (credential: string, headers = {}) =>
      rest<ErrorBody>(app, 'POST', '/v1/gw/policies', { credential, body: more, headers });
    const refused = await define(token);
    expect([refused.status, refused.body.error.faults]).toEqual([
      400,
      [
        {
          path: 'firewall_custom',
          code: 'out_of_range',
          message: expect.stringMatching(
            /^firewall_custom has patterns of 27\d\d instructions when compiled; with the 18/,
          ),
        },
      ],
    ]);
    const inRussian = await define(token, { 'accept-language': 'ru' });
    expect(JSON.stringify(inRussian.body)).toContain('у организации их может быть');
    expect((await define(other.token)).status).toBe(200);
    // What does not grow stays changeable, and what shrinks makes room.
    const change = (body: object) =>
      rest(app, 'PATCH', `/v1/gw/policies/${id}`, { credential: token, body });
    expect((await change({ limits: { rpm: 5 } })).status).toBe(200);
    expect((await change({ firewall_custom: wide.slice(0, 1) })).status).toBe(200);
    expect((await define(token)).status).toBe(200);
    expect((await change({ firewall_custom: wide })).status).toBe(400);
  });

  it('are bounded also where they are defined at the same moment', async () => {
    const { token } = await customerUnder(app, {});
    const define = (name: string) =>
      rest(app, 'POST', '/v1/gw/policies', {
        credential: token,
        body: { name, firewall_custom: wide },
      });
    const all = await Promise.all(['a', 'b', 'c'].map(define));
    expect(all.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
  });
});
