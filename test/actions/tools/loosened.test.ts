import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isLimitLoosened } from '../../../src/actions/tools/verb-meaning.rules.js';
import { setFourEyes } from '../../access/organization/samples.js';
import { newKey, newMember, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { decide, execute, register, tools } from './world.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const SCHEMA = {
  type: 'object',
  required: ['amount_rub', 'ids'],
  properties: { amount_rub: { type: 'number' }, ids: { type: 'array' } },
};
/** A tool whose guards read amounts, records and arguments. */
const TILL = {
  tool_key: 'till',
  amount_rub_max_auto: 50,
  verbs: [
    'read',
    {
      verb: 'pay_back',
      risk: 'low',
      amount_field: '/amount_rub',
      records_field: '/ids',
      arguments_schema: SCHEMA,
    },
    { verb: 'sweep_out', risk: 'low' },
    { verb: 'tidy_up', risk: 'medium' },
  ],
};
const till = (refund: object, more: object = {}) => ({
  ...TILL,
  ...more,
  verbs: TILL.verbs.map((each) =>
    typeof each === 'object' && each.verb === 'pay_back' ? { ...each, ...refund } : each,
  ),
});
const LARGE = { tool_key: 'till', verb: 'pay_back', arguments: { amount_rub: 900, ids: ['1'] } };

describe('a contract that is registered again', () => {
  it.each<[string, object]>([
    ['a higher limit of amounts', till({}, { amount_rub_max_auto: 50.01 })],
    ['no limit of amounts', till({}, { amount_rub_max_auto: null })],
    ['another argument as amount', till({ amount_field: '/zero' })],
    ['no argument as amount', till({ amount_field: null })],
    ['another argument as records', till({ records_field: '/none' })],
    ['no argument as records', till({ records_field: null })],
    ['another schema of arguments', till({ arguments_schema: { type: 'object' } })],
    ['no schema of arguments', till({ arguments_schema: null })],
    [
      'an argument as amount where none was known',
      {
        ...TILL,
        verbs: TILL.verbs.map((each) =>
          typeof each === 'object' && each.verb === 'sweep_out'
            ? { ...each, amount_field: '/zero' }
            : each,
        ),
      },
    ],
  ])('with %s is refused to those who may not approve', async (_what, loose) => {
    const owner = await newCustomer(app);
    const developer = await newMember(app, owner.token, 'developer');
    const standard = await newKey(app, owner.token, 'standard');
    expect((await register(app, owner, TILL)).status).toBe(200);
    for (const token of [developer.token, standard.key]) {
      expect(outcome(await register(app, { token }, loose))).toBe('403 permission_denied');
    }
    // Another version between them, without the verb, loosens nothing.
    const bare = { ...TILL, verbs: ['read'] };
    expect((await register(app, developer, bare)).status).toBe(200);
    expect(outcome(await register(app, developer, loose))).toBe('403 permission_denied');
    expect((await execute(app, owner.token, LARGE)).body).toMatchObject({ decision: 'block' });
    expect((await register(app, owner, loose)).body.version).toBe(3);
    expect((await register(app, customer, loose)).status).toBe(200);
  });

  it('with less than before, or what no guard reads, is open to who writes tools', async () => {
    const owner = await newCustomer(app);
    const developer = await newMember(app, owner.token, 'developer');
    await register(app, owner, TILL);
    const strict = [
      TILL,
      till({}, { amount_rub_max_auto: 20, description: 'Pays back' }),
      till({ requires_approval: true, risk: 'critical' }, { amount_rub_max_auto: 20 }),
    ];
    for (const contract of strict) {
      expect((await register(app, developer, contract)).status).toBe(200);
    }
  });
});

const READS = { verb: 'wire', risk: 'low', read_only: true };
const READING = { tool_key: 'till', verbs: ['read', READS] };
const WIRE = { tool_key: 'till', verb: 'wire', arguments: { amount_rub: 900_000 } };

describe('a verb that a tool declares for the first time', () => {
  it.each<[string, object]>([
    ['changes nothing', READS],
    ['changes nothing, however risky it is', { ...READS, risk: 'critical' }],
    ['moves what an argument says', { verb: 'wire', risk: 'low', amount_field: '/zero' }],
    ['touches what an argument lists', { verb: 'wire', risk: 'high', records_field: '/none' }],
  ])('is not said by who may not approve to be one that %s', async (_what, stated) => {
    const owner = await newCustomer(app);
    const developer = await newMember(app, owner.token, 'developer');
    const service = await newKey(app, owner.token, 'service');
    const bare = { tool_key: 'till', verbs: ['read'] };
    const loose = { tool_key: 'till', verbs: ['read', stated] };
    const strict = { tool_key: 'till', verbs: ['read', { verb: 'wire', risk: 'low' }] };
    // As a verb of a new tool, and as a new verb of one that is known.
    for (const before of [undefined, bare]) {
      if (before) expect((await register(app, developer, before)).status).toBe(200);
      for (const token of [developer.token, service.key]) {
        expect(outcome(await register(app, { token }, loose))).toBe('403 permission_denied');
      }
    }
    expect((await register(app, { token: service.key }, strict)).body).toMatchObject({
      version: 2,
    });
    const waits = { decision: 'needs_approval', status: 'pending' };
    expect((await execute(app, service.key, WIRE)).body).toMatchObject(waits);
    const other = { ...loose, tool_key: 'other' };
    expect((await register(app, owner, other)).body).toMatchObject({ version: 1 });
    expect((await register(app, { token: service.key }, other)).body).toMatchObject({
      version: 1,
      already_registered: true,
    });
  });

  it('needs another who may approve for its member, where everything needs four eyes', async () => {
    const owner = await newCustomer(app);
    const admin = await newMember(app, owner.token, 'admin');
    const service = await newKey(app, owner.token, 'service');
    await setFourEyes(app, owner.token, true);
    expect((await register(app, owner, READING)).body).toMatchObject({ version: 1 });
    const waits = { status: 'pending', guard: 'loosened_by_caller' };
    for (const credential of [owner.token, service.key]) {
      expect((await execute(app, credential, WIRE)).body).toMatchObject(waits);
    }
    // Another description of it by the same member changes nothing.
    await register(app, owner, { ...READING, description: 'Reads' });
    expect((await execute(app, owner.token, WIRE)).body).toMatchObject(waits);
    expect((await register(app, admin, READING)).status).toBe(200);
    const executed = { decision: 'allow', status: 'executed' };
    expect((await execute(app, owner.token, WIRE)).body).toMatchObject(executed);
  });

  it('is executed as its owner states it where four eyes are no rule', async () => {
    const owner = await newCustomer(app);
    await register(app, owner, READING);
    const executed = { decision: 'allow', status: 'executed' };
    expect((await execute(app, owner.token, WIRE)).body).toMatchObject(executed);
    const stranger = await newCustomer(app);
    expect(outcome(await execute(app, stranger.token, WIRE))).toBe('404 not_found');
  });
});

describe('a limit of amounts', () => {
  it.each<[bigint | null, bigint | null, boolean]>([
    [null, null, false],
    [null, 1_000_000_000n, false],
    [null, 1_000_000_001n, true],
    [10_000_000_000n, null, false],
    [9_999_999_999n, null, true],
    [5n, 5n, false],
    [5n, 6n, true],
    [6n, 5n, false],
  ])('from %s to %s is looser: %s', (before, after, looser) => {
    expect(isLimitLoosened(before, after)).toBe(looser);
  });
});

describe('a member who loosens a tool where everything needs four eyes', () => {
  const loose = till({}, { amount_rub_max_auto: 1_000 });
  const previewOf = async (credential: string) =>
    (await tools(app, credential, 'POST', '/preview', LARGE)).body;

  /** An organization of four eyes with two who may approve, the first of whom has loosened. */
  async function loosened() {
    const owner = await newCustomer(app);
    const admin = await newMember(app, owner.token, 'admin');
    await register(app, owner, TILL);
    await setFourEyes(app, owner.token, true);
    expect((await register(app, admin, loose)).status).toBe(200);
    return { owner, admin };
  }

  it('does not act by that alone, nor do their keys; a second person approves', async () => {
    const { owner, admin } = await loosened();
    const { key } = await newKey(app, admin.token, 'service');
    for (const credential of [admin.token, key]) {
      expect(await previewOf(credential)).toMatchObject({
        decision: 'needs_approval',
        guard: 'loosened_by_caller',
      });
    }
    const { body: call } = await execute(app, admin.token, LARGE);
    expect(call).toMatchObject({ status: 'pending', guard: 'loosened_by_caller' });
    const own = await decide(app, admin.token, call.id, 'approve');
    expect(outcome(own)).toBe('403 approval_self_forbidden');
    const other = await decide(app, owner.token, call.id, 'approve');
    expect(other.body).toMatchObject({ status: 'executed', failure: null });
    expect(await previewOf(owner.token)).toMatchObject({ decision: 'allow' });
    const stranger = await newCustomer(app);
    await register(app, stranger, loose);
    expect(await previewOf(stranger.token)).toMatchObject({ decision: 'allow' });
  });

  it('is not cleared by versions of their own, nor of who may not approve', async () => {
    const { owner, admin } = await loosened();
    const developer = await newMember(app, owner.token, 'developer');
    for (const who of [admin, developer]) {
      const { token } = who;
      const restated = { ...loose, description: `As stated by ${who.userId}` };
      expect((await register(app, { token }, restated)).status).toBe(200);
      expect(await previewOf(admin.token)).toMatchObject({ guard: 'loosened_by_caller' });
    }
  });

  it('acts by it once another who may approve has registered the very same', async () => {
    const { owner, admin } = await loosened();
    expect((await register(app, admin, loose)).body).toMatchObject({ version: 2 });
    expect((await register(app, owner, loose)).body).toMatchObject({ version: 3 });
    expect((await register(app, owner, loose)).body).toMatchObject({ version: 3 });
    expect(await previewOf(admin.token)).toMatchObject({ decision: 'allow' });
    const wider = till({}, { amount_rub_max_auto: 2_000 });
    expect((await register(app, admin, wider)).status).toBe(200);
    expect(await previewOf(admin.token)).toMatchObject({ guard: 'loosened_by_caller' });
  });

  it('acts by it where four eyes are no rule', async () => {
    const owner = await newCustomer(app);
    await register(app, owner, TILL);
    await register(app, owner, loose);
    expect(await previewOf(owner.token)).toMatchObject({ decision: 'allow' });
  });
});
