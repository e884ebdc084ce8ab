import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { moscowDay } from '../../../src/kernel/time.js';
import { newMember } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, startApp } from '../../support/app.js';
import { ask, changed, type FleetWorld, laneOf, startFleet, versionsOf } from './world.js';

let world: FleetWorld;
let customer: Customer;
beforeAll(async () => {
  world = await startFleet((origin) => [
    laneOf('a', origin),
    laneOf('spare', origin, { id: 'spare/chat' }),
    laneOf('main', origin, { id: 'main/chat', fallbacks: ['spare/chat'] }),
  ]);
  customer = await newCustomer(world.nodes[0], 1_000);
  const usage = { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 };
  for (const lane of ['a', 'spare', 'main', 'new']) await world.double.script(lane, { usage });
});
afterAll(() => world?.stop());

const REASON = 'reason: "It must be so"';
const today = () => moscowDay(Date.now());
const priceArgs = (from: string, input: number, output: number, key = 'a:pool/chat') =>
  `key: "${key}", ${REASON}, input: { effectiveFrom: "${from}", inputRub: "${input}", ` +
  `outputRub: "${output}" }`;

const operate = (name: string, args: string, variables = {}, node = world.nodes[0]) =>
  changed(node, world.operator, name, args, variables);

/** Both nodes have what was changed last. */
async function settled(): Promise<void> {
  const latest = Math.max(...versionsOf(world));
  await expect.poll(() => versionsOf(world)).toEqual([latest, latest]);
}

function rows() {
  const { prisma } = world.nodes[0].owner;
  return prisma.providerChange.findMany({ orderBy: { seq: 'asc' } });
}

/** What the latest request of the customer was charged, in micro-rubles, and by which price. */
async function charged(): Promise<readonly unknown[]> {
  const { rows: found } = await world.nodes[0].owner.pool.query(
    `SELECT h.charged_micro, u.prices ->> 'output_text' AS output FROM hold h
     JOIN usage_event u ON u.id = h.request_id
     WHERE h.account_id = $1 ORDER BY u.created_at DESC LIMIT 1`,
    [customer.accountId],
  );
  return Object.values(found[0] ?? {});
}

describe.each([false, true])('a price that an operator adds, stream %s', (stream) => {
  it('is what the next request is charged by on every node, and no request before it', async () => {
    const [first, second] = world.nodes;
    await operate('deploymentPriceAdd', priceArgs(today(), 100, 1_000));
    await settled();
    await ask(second, customer.key, stream);
    const before = await charged();
    const { version } = await operate('deploymentPriceAdd', priceArgs(today(), 200, 3_000));
    expect(Number(version)).toBeGreaterThan(0);
    await ask(first, customer.key, stream);
    expect(before).toEqual([11_000n, '1000000000']);
    expect(await charged()).toEqual([32_000n, '3000000000']);
    await settled();
    await ask(second, customer.key, stream);
    expect(await charged()).toEqual([32_000n, '3000000000']);
  });
});

describe('a price', () => {
  it('never begins in the past, needs every dimension, and changes no row', async () => {
    const before = await rows();
    const past = await operate('deploymentPriceAdd', priceArgs('2026-01-01', 1, 1));
    expect(past).toEqual({
      code: 'invalid_request',
      faults: [`input.effectiveFrom must be ${today()} or later.`],
    });
    const input = '{ effectiveFrom: "2027-01-01", inputRub: "1" }';
    const half = `key: "a:pool/chat", ${REASON}, input: ${input}`;
    const lacking = await operate('deploymentPriceAdd', half);
    expect(lacking.faults).toEqual([
      expect.stringContaining('the price of 2027-01-01 lacks output_text, output_reasoning'),
    ]);
    expect(await rows()).toEqual(before);
    const { prices } = world.nodes[0].server.services.registry.deploymentsByKey.get(
      'a:pool/chat',
    ) ?? { prices: [] };
    expect(prices[0]?.microRubPerMillion.output_text).toBe(1_000_000_000n);
  });

  it('of a later day holds from that day on', async () => {
    await operate('deploymentPriceAdd', priceArgs('2030-01-01', 7, 8, 'spare:spare/chat'));
    const { registry } = world.nodes[0].server.services;
    const output = (day: string) =>
      registry.priceAt('spare/chat', day)?.microRubPerMillion.output_text;
    expect([output('2029-12-31'), output('2030-01-01')]).toEqual([1_000_000_000n, 8_000_000n]);
  });
});

describe('health that an operator sets', () => {
  const set = (override: string, name = 'deploymentHealthSet', subject = 'key: "a:pool/chat"') =>
    operate(name, `${subject}, override: ${override}, ${REASON}`);
  afterEach(async () => {
    await set('auto');
    await set('auto', 'providerHealthSet', 'id: "a"');
    await settled();
  });

  it.each([
    ['deploymentHealthSet', 'key: "a:pool/chat"'],
    ['providerHealthSet', 'id: "a"'],
  ])('takes down by %s on every node, at no cost, until it is set back', async (name, subject) => {
    await set('forced_down', name, subject);
    await settled();
    const asked = (await world.double.received('a')).length;
    for (const node of world.nodes) {
      for (const stream of [false, true]) {
        const { status, code } = await ask(node, customer.key, stream);
        expect([status, code]).toEqual([503, 'upstream_unavailable']);
      }
    }
    expect((await world.double.received('a')).length).toBe(asked);
    await set('auto', name, subject);
    expect((await ask(world.nodes[0], customer.key, false)).status).toBe(200);
    const { rows: held } = await world.nodes[0].owner.pool.query(
      "SELECT 1 FROM hold WHERE account_id = $1 AND state = 'held'",
      [customer.accountId],
    );
    expect(held).toEqual([]);
  });

  it('moves requests to the fallback, and forced up passes an open breaker', async () => {
    const [node] = world.nodes;
    await set('forced_down', 'providerHealthSet', 'id: "main"');
    const moved = await ask(node, customer.key, false, { model: 'main/chat' });
    expect([moved.status, JSON.parse(moved.text).model]).toEqual([200, 'spare/chat']);
    await set('auto', 'providerHealthSet', 'id: "main"');
    await world.double.script('main', { status: 500 });
    for (let call = 0; call < 6; call += 1) {
      await ask(node, customer.key, false, { model: 'main/chat' });
    }
    await world.double.script('main', {});
    await set('forced_up', 'providerHealthSet', 'id: "main"');
    const up = await ask(node, customer.key, false, { model: 'main/chat' });
    expect(JSON.parse(up.text).model).toBe('main/chat');
    await set('auto', 'providerHealthSet', 'id: "main"');
  });
});

describe('a provider that is declared while gateways run', () => {
  const declare = (definition: object) =>
    operate('providerDeclare', `definition: $input, ${REASON}`, { input: definition });

  it('serves on every node at once, and is gone when it is withdrawn', async () => {
    const { origin } = world.double;
    const lane = laneOf('new', origin, { id: 'new/chat' });
    expect((await declare(lane)).faults).toEqual([]);
    await settled();
    for (const node of world.nodes) {
      const { status } = await ask(node, customer.key, false, { model: 'new/chat' });
      expect(status).toBe(200);
    }
    const weight = `key: "new:new/chat", weight: 3, ${REASON}`;
    await operate('deploymentWeightSet', weight);
    expect((await operate('providerWithdraw', `id: "new", ${REASON}`)).faults).toEqual([]);
    await settled();
    for (const node of world.nodes) {
      const { status, code } = await ask(node, customer.key, false, { model: 'new/chat' });
      expect([status, code]).toEqual([404, 'model_not_found']);
    }
    await declare(lane);
    const { registry } = world.nodes[0].server.services;
    expect(registry.deploymentsByKey.get('new:new/chat')?.weight).toBe(3);
  });

  it('is refused with every fault, those of what would no longer fit among them', async () => {
    const before = await rows();
    const { origin } = world.double;
    const lost = await declare(laneOf('spare', origin, { id: 'spare/other' }));
    expect(lost).toEqual({
      code: 'invalid_request',
      faults: [
        'definition cannot be so: main, model main/chat: the fallback spare/chat is no model of ' +
          'the list.',
      ],
    });
    const inside = { ...laneOf('x', 'http://10.1.2.3'), api_key_env: 'GW_SECRET' };
    const faults = (await declare(inside)).faults;
    expect(faults).toHaveLength(3);
    expect(await rows()).toEqual(before);
  });
});

describe('what operators change', () => {
  const CALLS: readonly (readonly [string, string])[] = [
    ['deploymentPriceAdd', priceArgs('2031-01-01', 1, 1)],
    ['deploymentLimitsSet', `key: "a:pool/chat", ${REASON}, input: { requestsPerMinute: 600 }`],
    ['deploymentWeightSet', `key: "a:pool/chat", weight: 2, ${REASON}`],
    ['deploymentHealthSet', `key: "a:pool/chat", override: auto, ${REASON}`],
    ['providerHealthSet', `id: "a", override: auto, ${REASON}`],
    ['modelSelectionSet', `model: "pool/chat", selection: weighted, ${REASON}`],
    ['providerWithdraw', `id: "later", ${REASON}`],
  ];

  it.each(CALLS)('%s is refused to everybody else, and nothing is written', async (name, args) => {
    const [node] = world.nodes;
    const member = await newMember(node, customer.token, 'admin');
    const before = await rows();
    for (const credential of [customer.token, member.token, customer.key]) {
      const { code } = await changed(node, credential, name, args);
      expect(code).toBe('platform_admin_required');
    }
    expect((await changed(node, undefined, name, args)).code).toBe('missing_credential');
    expect(await rows()).toEqual(before);
  });

  it('is written with who, when and why, and with its audit event, in one row each', async () => {
    const lane = laneOf('later', world.double.origin, { id: 'later/chat' });
    await operate('providerDeclare', `definition: $input, ${REASON}`, { input: lane });
    for (const [name, args] of CALLS) {
      const before = await rows();
      const { version, faults } = await operate(name, args);
      expect(faults).toEqual([]);
      const made = (await rows()).slice(before.length);
      expect(made).toMatchObject([
        { seq: BigInt(version ?? 0), reason: 'It must be so', setBy: world.operatorId },
      ]);
      const { data } = await graphql<{ auditEvents: { nodes: unknown[] } }>(
        world.nodes[0],
        `{ auditEvents(first: 1) { nodes { action subject subjectId actorId } } }`,
        {},
        world.operator,
      );
      expect(data.auditEvents.nodes).toEqual([
        {
          action: name,
          subject: 'ProviderChange',
          subjectId: made[0]?.subject,
          actorId: world.operatorId,
        },
      ]);
    }
    await settled();
    for (const { url } of world.nodes) {
      const query = '{ providerChanges { version kind subject reason setBy body { __typename } } }';
      const { data } = await graphql<{ providerChanges: unknown[] }>(
        { url },
        query,
        {},
        world.operator,
      );
      expect(data.providerChanges[0]).toMatchObject({
        kind: 'provider_withdrawn',
        subject: 'later',
        reason: 'It must be so',
        setBy: world.operatorId,
        body: null,
      });
      expect(data.providerChanges).toContainEqual(
        expect.objectContaining({ kind: 'weight_set', body: { __typename: 'DeploymentWeight' } }),
      );
    }
  });

  it('names what is not there, and needs a reason', async () => {
    const unknown = await operate('deploymentWeightSet', `key: "a:none", weight: 1, ${REASON}`);
    expect(unknown.code).toBe('not_found');
    const silent = await operate(
      'deploymentWeightSet',
      'key: "a:pool/chat", weight: -1, reason: " "',
    );
    expect(silent.faults).toEqual([
      'weight must be from 0 to 1000.',
      'reason must have 1 to 500 characters.',
    ]);
    expect((await operate('providerWithdraw', `id: "a", ${REASON}`)).code).toBe('not_found');
  });

  it('is listed for operators alone', async () => {
    const query = '{ providerChanges { version } }';
    const { errors } = await graphql(world.nodes[0], query, {}, customer.token);
    expect(errors?.[0]?.extensions.code).toBe('platform_admin_required');
  });

  it('cannot be written or read by a session of a tenant, nor changed by any', async () => {
    const { pool, platformPool } = world.nodes[0].server.services;
    await expect(pool.query('SELECT * FROM provider_change')).rejects.toMatchObject({
      code: '42501',
    });
    await expect(
      platformPool.query("UPDATE provider_change SET reason = 'other'"),
    ).rejects.toMatchObject({ code: '42501' });
    await expect(
      world.nodes[0].owner.pool.query("UPDATE provider_change SET reason = 'other'"),
    ).rejects.toThrow();
  });

  it('is read by a node that was cut from its notifications when it was made', async () => {
    const { pool } = world.nodes[0].owner;
    const before = Math.max(...versionsOf(world));
    await pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE application_name = 'gw-listener' AND datname = current_database()`,
    );
    await operate('deploymentWeightSet', `key: "a:pool/chat", weight: 5, ${REASON}`);
    expect(Math.max(...versionsOf(world))).toBeGreaterThan(before);
    await settled();
  });

  it('is in force after a start, and what does not fit a node is left out there', async () => {
    const { seq } = (await rows()).at(-1) ?? { seq: 0n };
    await world.nodes[0].owner.pool.query(
      `INSERT INTO provider_change (kind, subject, place, body, reason, set_by) VALUES
         ('weight_set', 'gone:gone/chat', 'weight_set gone:gone/chat', '{"weight":1}', 'r', $1),
         ('provider_declared', 'broken', 'provider broken', '{"id":"broken"}', 'r', $1),
         ('weight_set', 'a:pool/chat', 'weight_set a:pool/chat', '{"weight":9}', 'r', $1)`,
      [world.operatorId],
    );
    await expect
      .poll(() =>
        world.nodes.map(({ server: { services } }) => [
          services.registry.version,
          services.registry.deploymentsByKey.get('a:pool/chat')?.weight,
        ]),
      )
      .toEqual([
        [Number(seq) + 3, 9],
        [Number(seq) + 3, 9],
      ]);
    const third = await startApp(world.nodes[0].environment);
    const { registry } = third.server.services;
    const weight = registry.deploymentsByKey.get('a:pool/chat')?.weight;
    expect([registry.version, weight]).toEqual([Number(seq) + 3, 9]);
    await third.stop();
  });
});
