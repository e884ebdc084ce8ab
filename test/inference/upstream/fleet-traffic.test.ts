import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ask, changed, type FleetWorld, laneOf, startFleet } from '../../catalog/fleet/world.js';
import { type Customer, graphql, newCustomer } from '../../support/app.js';
import { until } from './lanes.js';

const USAGE = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
/** No longer than what is asked for, which is held against streams too. */
const ANSWER = { text: 'Да', usage: USAGE };
const QUICK = { timeouts: { first_byte_ms: 400, gap_ms: 300 } };

let world: FleetWorld;
let customer: Customer;
beforeAll(async () => {
  world = await startFleet((origin) => {
    const lane = (id: string, model: string, more = {}) =>
      laneOf(id, origin, { id: model, ...more });
    return [
      lane('heavy', 'weighted/chat', { selection: 'weighted', weight: 3 }),
      lane('light', 'weighted/chat', { weight: 1 }),
      // The slow one is the first of the list.
      lane('slow', 'loaded/chat', { selection: 'least_loaded' }),
      lane('fast', 'loaded/chat'),
      ...[false, true].flatMap((stream) => [
        lane(`full-${stream}`, `full-${stream}/chat`, { limits: { requests_per_minute: 6 } }),
        lane(`over-${stream}`, `over-${stream}/chat`, {
          limits: { requests_per_minute: 2 },
          fallbacks: ['spare/chat'],
        }),
        lane(`one-${stream}`, `one-${stream}/chat`, { limits: { concurrent_requests: 2 } }),
        lane(`said-${stream}`, `said-${stream}/chat`),
        lane(`tokens-${stream}`, `tokens-${stream}/chat`, { limits: { tokens_per_minute: 400 } }),
      ]),
      lane('spare', 'spare/chat'),
      lane('liar', 'liar/chat', QUICK),
    ];
  });
  customer = await newCustomer(world.nodes[0], 10_000);
  const lanes = ['heavy', 'light', 'fast', 'spare', 'liar'];
  const voiced = ['full', 'over', 'one', 'said', 'tokens'];
  for (const lane of [...lanes, ...voiced.flatMap((name) => [`${name}-false`, `${name}-true`])]) {
    await world.double.script(lane, ANSWER);
  }
  await world.double.script('slow', { ...ANSWER, delayMs: 300 });
  // Both nodes know of each other, and that the one that registered the operator is gone.
  const shares = () => world.nodes.map(({ server }) => server.services.fleet.share(6));
  await until(() => shares().every((share) => share === 3));
});
afterAll(() => world?.stop());

const counted = async (lane: string) => (await world.double.received(lane)).length;

/** Asks so often at once, the nodes in turn. */
function burst(model: string, stream: boolean, count: number) {
  const asked = Array.from({ length: count }, (_, index) =>
    ask(world.nodes[index % 2 === 0 ? 0 : 1], customer.key, stream, { model }),
  );
  return Promise.all(asked);
}

function health(deployment: string) {
  return world.nodes.map((node) =>
    node.server.services.upstream.health().find((one) => one.deployment === deployment),
  );
}

/** Holds that stand open, and the usage rows of a model by how they ended. */
async function books(model: string) {
  const { pool } = world.nodes[0].owner;
  const held = await pool.query("SELECT 1 FROM hold WHERE account_id = $1 AND state = 'held'", [
    customer.accountId,
  ]);
  const rows = await pool.query(
    `SELECT status, count(*)::int AS found, sum(amount_micro)::bigint AS micro
     FROM usage_event WHERE model = $1 GROUP BY status ORDER BY status`,
    [model],
  );
  return { held: held.rows.length, rows: rows.rows };
}

describe.each([false, true])('deployments of one model, stream %s', (stream) => {
  it('are called in the shares of their weights', async () => {
    const before = [await counted('heavy'), await counted('light')];
    for (let round = 0; round < 10; round += 1) {
      const answers = await burst('weighted/chat', stream, 16);
      expect(answers.every(({ status }) => status === 200)).toBe(true);
    }
    const heavy = (await counted('heavy')) - (before[0] ?? 0);
    const light = (await counted('light')) - (before[1] ?? 0);
    expect(heavy + light).toBe(160);
    // Three of four; six standard deviations of so many drawings on either side.
    expect(Math.abs(heavy - 120)).toBeLessThan(33);
  });

  it('leave the slow one of two alone when they are picked by load', async () => {
    const before = [await counted('fast'), await counted('slow')];
    for (let round = 0; round < 8; round += 1) await burst('loaded/chat', stream, 6);
    const fast = (await counted('fast')) - (before[0] ?? 0);
    const slow = (await counted('slow')) - (before[1] ?? 0);
    expect(fast + slow).toBe(48);
    expect(slow).toBeLessThan(fast / 2);
  });
});

describe.each([false, true])('a deployment at its limit, stream %s', (stream) => {
  it('gets no more than its requests of a minute from two nodes together', async () => {
    const [lane, model] = [`full-${stream}`, `full-${stream}/chat`];
    const answers = await burst(model, stream, 30);
    const told = answers.map(({ status, code }) => [status, code ?? null]);
    expect(told.filter(([status]) => status === 200)).toHaveLength(6);
    const refused = answers.filter(({ status }) => status !== 200);
    for (const { status, code, headers } of refused) {
      expect([status, code]).toEqual([429, 'upstream_rate_limited']);
      const waitMs = Number(headers.get('retry-after-ms'));
      expect(waitMs).toBeGreaterThan(30_000);
      expect(waitMs).toBeLessThanOrEqual(61_000);
    }
    expect(await counted(lane)).toBe(6);
    expect(health(`${lane}:${model}`)).toMatchObject([
      { state: 'closed', calls: 3, failures: 0, aside: null },
      { state: 'closed', calls: 3, failures: 0, aside: null },
    ]);
    expect(await books(model)).toEqual({
      held: 0,
      rows: [
        { status: 'complete', found: 6, micro: 66_000n },
        { status: 'failed', found: 24, micro: 0n },
      ],
    });
  });

  it('is passed over for the fallback, which is charged at its own price', async () => {
    const lane = `over-${stream}`;
    const answers = await burst(`${lane}/chat`, stream, 10);
    expect(answers.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const models = answers.map(({ text }) => text.includes('"spare/chat"'));
    expect(models.filter(Boolean)).toHaveLength(8);
    expect(await counted(lane)).toBe(2);
  });

  it('gets no more than its requests at once', async () => {
    const lane = `one-${stream}`;
    await world.double.script(lane, { ...ANSWER, delayMs: 400 });
    const answers = await burst(`${lane}/chat`, stream, 8);
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(2);
    const codes = new Set(answers.flatMap(({ status, code }) => (status === 200 ? [] : [code])));
    expect([...codes]).toEqual(['upstream_rate_limited']);
    expect((await burst(`${lane}/chat`, stream, 2)).map(({ status }) => status)).toEqual([
      200, 200,
    ]);
    expect(await counted(lane)).toBe(4);
  });

  it('keeps of the tokens what an answer used, not what was foreseen', async () => {
    const [node] = world.nodes;
    const model = `tokens-${stream}/chat`;
    const statuses: number[] = [];
    // Each foresees some 120 tokens of the 200 of this node, and uses 20 of them.
    for (let call = 0; call < 7; call += 1) {
      const { status } = await ask(node, customer.key, stream, { model, max_tokens: 100 });
      statuses.push(status);
    }
    expect(statuses).toEqual([200, 200, 200, 200, 429, 429, 429]);
  });
});

describe.each([false, true])('what a provider says of its limits, stream %s', (stream) => {
  const message = { role: 'assistant', content: 'Да' };
  const whole = { choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE };
  const chunk = { choices: [{ index: 0, delta: { content: 'Да' }, finish_reason: 'stop' }] };
  const events = [chunk, { choices: [], usage: USAGE }].map(
    (one) => `data: ${JSON.stringify(one)}\n\n`,
  );
  const raw = stream ? `${events.join('')}data: [DONE]\n\n` : JSON.stringify(whole);
  const lane = `said-${stream}`;
  const say = (headers: Record<string, string>) => world.double.script(lane, { raw, headers });

  it('is kept to for its time, and for a minute at most when it lies', async () => {
    const [node, other] = world.nodes;
    await say({ 'x-ratelimit-remaining-requests': '-5', 'x-ratelimit-reset-requests': '1e9' });
    const model = `${lane}/chat`;
    for (let call = 0; call < 2; call += 1) {
      expect((await ask(node, customer.key, stream, { model })).status).toBe(200);
    }
    await say({ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '900h0m0s' });
    expect((await ask(node, customer.key, stream, { model })).status).toBe(200);
    const before = await counted(lane);
    const { status, code, headers } = await ask(node, customer.key, stream, { model });
    expect([status, code]).toEqual([429, 'upstream_rate_limited']);
    const waitMs = Number(headers.get('retry-after-ms'));
    expect(waitMs > 0 && waitMs <= 60_000).toBe(true);
    expect(await counted(lane)).toBe(before);
    expect(health(`${lane}:${model}`)[0]).toMatchObject({ state: 'closed', failures: 0 });
    // What one node was told is not what the other one knows.
    expect((await ask(other, customer.key, stream, { model })).status).toBe(200);
    expect((await books(model)).held).toBe(0);
  });
});

const PROBE = `mutation($key: String!, $stream: Boolean) {
  deploymentProbe(key: $key, stream: $stream) {
  key simulated answered status latencyMs firstContentMs errorCode failure
  } }`;

interface Probed {
  readonly answered: boolean;
  readonly [name: string]: unknown;
}

async function probe(stream: boolean, key = 'liar:liar/chat', credential = world.operator) {
  const { data, errors } = await graphql<{ deploymentProbe: Probed }>(
    world.nodes[0],
    PROBE,
    { key, stream },
    credential,
  );
  return errors ? { code: errors[0]?.extensions.code } : data.deploymentProbe;
}

describe.each([false, true])('a probe, stream %s', (stream) => {
  it('is one real request that is billed to nobody', async () => {
    await world.double.script('liar', ANSWER);
    const before = await counted('liar');
    expect(await probe(stream)).toEqual({
      key: 'liar:liar/chat',
      simulated: false,
      answered: true,
      status: 200,
      latencyMs: expect.any(Number),
      firstContentMs: stream ? expect.any(Number) : null,
      errorCode: null,
      failure: null,
    });
    const received = (await world.double.received('liar')).slice(before);
    expect(received.map(({ body }) => JSON.parse(body))).toMatchObject([
      { model: 'liar-chat', max_tokens: 8 },
    ]);
    expect((await books('liar/chat')).rows).toEqual([]);
  });

  it.each([
    ['a page', { raw: '<html>' }, 200, 'upstream_failed'],
    ['an error with status 200', { raw: '{"error":{"message":"x"}}' }, 200, 'upstream_failed'],
    ['an answer cut in the middle', { cutAfter: 2 }, 200, 'upstream_failed'],
    ['a refusal', { status: 400, message: 'no' }, 400, 'upstream_rejected'],
    ['refused credentials', { status: 401 }, 401, 'upstream_failed'],
    ['a failure', { status: 500 }, 500, 'upstream_failed'],
    ['a full quota', { status: 429 }, 429, 'upstream_rate_limited'],
    ['silence', { blackHole: true }, null, 'upstream_timeout'],
  ] as const)('tells %s from an answer, and counts it nowhere', async (_, lie, status, code) => {
    const before = health('liar:liar/chat');
    await world.double.script('liar', lie);
    expect(await probe(stream)).toMatchObject({ answered: false, status, errorCode: code });
    expect(health('liar:liar/chat')).toEqual(before);
  });

  it('is for operators alone, leaves an audit event, and says what is simulated', async () => {
    const before = await counted('liar');
    for (const credential of [customer.token, customer.key]) {
      expect(await probe(stream, 'liar:liar/chat', credential)).toEqual({
        code: 'platform_admin_required',
      });
    }
    expect(await counted('liar')).toBe(before);
    expect(await probe(stream, 'none:none')).toEqual({ code: 'not_found' });
    expect(await probe(stream, 'sandbox:sandbox/gw-mini')).toMatchObject({
      answered: true,
      simulated: true,
    });
    const { data } = await graphql<{ auditEvents: { nodes: unknown[] } }>(
      world.nodes[0],
      '{ auditEvents(first: 1) { nodes { action subjectId } } }',
      {},
      world.operator,
    );
    expect(data.auditEvents.nodes).toEqual([
      { action: 'deploymentProbe', subjectId: 'sandbox:sandbox/gw-mini' },
    ]);
  });
});

describe('the list of deployments', () => {
  const QUERY = `{ deployments { key breaker override selection weight inFlight wholeP50Ms
    requests { limit used } operatorView { origin upstreamName reason calls } } }`;
  interface Listed {
    readonly key: string;
    readonly [name: string]: unknown;
  }
  async function listed(credential: string): Promise<Map<string, Listed>> {
    const { data } = await graphql<{ deployments: Listed[] }>(
      world.nodes[0],
      QUERY,
      {},
      credential,
    );
    return new Map(data.deployments.map((one) => [one.key, one]));
  }

  it('shows state to members, and addresses and reasons to operators alone', async () => {
    const down = 'key: "light:weighted/chat", override: forced_down, reason: "Looks odd"';
    await changed(world.nodes[0], world.operator, 'deploymentHealthSet', down);
    const shown = {
      key: 'light:weighted/chat',
      breaker: 'closed',
      override: 'forced_down',
      selection: 'weighted',
      weight: 1,
      inFlight: 0,
      wholeP50Ms: expect.any(Number),
      requests: null,
    };
    const own = (await listed(customer.key)).get('light:weighted/chat');
    expect(own).toEqual({ ...shown, operatorView: null });
    const all = await listed(world.operator);
    expect(all.get('light:weighted/chat')).toEqual({
      ...shown,
      operatorView: {
        origin: world.double.origin,
        upstreamName: 'light-chat',
        reason: 'Looks odd',
        calls: expect.any(Number),
      },
    });
    expect(all.get('full-false:full-false/chat')?.requests).toEqual({ limit: 6, used: 3 });
    expect(JSON.stringify([...(await listed(customer.key)).values()])).not.toContain('127.0.0.1');
  });
});
