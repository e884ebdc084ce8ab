import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  readContract,
  storedContract,
  type ToolContract,
} from '../../../src/actions/tools/contract.js';
import { contractOf, TOOL_DRAFT } from '../../../src/actions/tools/draft.js';
import { higherRisk, meaningOf } from '../../../src/actions/tools/verb-meaning.rules.js';
import { RISK_LEVELS, VERBS } from '../../../src/actions/tools/vocabulary.js';
import { inputValues } from '../../../src/kernel/fields/faults.js';
import { newKey, outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { type CallBody, execute, receiptOf, register, tools } from './world.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
  await register(app, owner, LEDGER);
});
afterAll(() => app?.stop());

const LEDGER = {
  tool_key: 'ledger',
  verbs: [
    'read',
    { verb: 'recount', risk: 'low', read_only: true },
    { verb: 'pay_out', risk: 'low' },
    {
      verb: 'reconcile',
      risk: 'medium',
      compensating_verb: 'recount',
      amount_field: '/amount_rub',
    },
    { verb: 'close_month', risk: 'high' },
    { verb: 'wipe_books', risk: 'critical', destructive: true, records_field: '/ids' },
  ],
};

function preview(credential: string, verb: string, values: object = {}) {
  const action = { tool_key: 'ledger', verb, arguments: values };
  return tools<CallBody>(app, credential, 'POST', '/preview', action);
}

describe('a verb that a tool declares', () => {
  it('is decided on by the risk that it declares, and preview says so', async () => {
    const agent = (await newKey(app, owner.token, 'agent')).key;
    const asked = [
      [owner.token, 'recount'],
      [agent, 'recount'],
      [owner.token, 'pay_out'],
      [agent, 'pay_out'],
      [owner.token, 'reconcile'],
      [agent, 'reconcile'],
      [owner.token, 'close_month'],
      [owner.token, 'wipe_books'],
      [agent, 'wipe_books'],
    ] as const;
    const decided: string[] = [];
    for (const [credential, verb] of asked) {
      const { body } = await preview(credential, verb, { ids: [1], amount_rub: 10 });
      const { risk, verb_origin, decision, guard } = body as unknown as Record<string, string>;
      decided.push([verb, risk, verb_origin, decision, guard].join(' '));
    }
    expect(decided).toEqual([
      'recount low declared allow within_limits',
      'recount low declared allow within_limits',
      'pay_out low declared needs_approval amount_unknown',
      'pay_out low declared needs_approval amount_unknown',
      'reconcile medium declared allow within_limits',
      'reconcile medium declared needs_approval agent_medium_risk',
      'close_month high declared needs_approval high_risk',
      'wipe_books critical declared needs_approval destructive',
      'wipe_books critical declared block agent_critical_destruction',
    ]);
  });

  it('is kept with its risk in the call and in its receipt', async () => {
    const action = { tool_key: 'ledger', verb: 'reconcile', arguments: { amount_rub: 10 } };
    const { body } = await execute(app, owner.token, action);
    const said = { verb: 'reconcile', risk: 'medium', verb_origin: 'declared' };
    expect(body).toMatchObject({ ...said, status: 'executed' });
    expect((await receiptOf(app, owner.token, body.id)).body).toMatchObject(said);
    const published = await execute(app, owner.token, { ...action, verb: 'read' });
    expect(published.body).toMatchObject({ risk: 'low', verb_origin: 'published' });
  });

  it('is refused by name where the contract does not declare it', async () => {
    const { body } = await preview(owner.token, 'burn');
    expect(body).toMatchObject({
      decision: 'block',
      guard: 'verb_not_in_contract',
      reasons: expect.arrayContaining([
        expect.objectContaining({ reason: 'the contract does not list the verb burn' }),
      ]),
    });
  });

  it('without a risk, or below the published verb of its name, is refused by name', async () => {
    const answer = await rest<{ error: { faults: { path: string; message: string }[] } }>(
      app,
      'POST',
      '/v1/gw/tools/register',
      {
        credential: owner.token,
        body: {
          tool_key: 'wrong',
          verbs: [
            { verb: 'reconcile' },
            { verb: 'delete', risk: 'low' },
            { verb: 'A b', risk: 'low' },
            { verb: 'wipe', risk: 'critical', destructive: false },
            { verb: 'glance', risk: 'low', read_only: true, amount_field: '/sum' },
            { verb: 'pay', read_only: true },
          ],
        },
      },
    );
    expect(outcome(answer)).toBe('400 invalid_request');
    const { faults } = answer.body.error;
    expect(faults.map(({ path }) => path)).toEqual([
      'verbs.0.verb',
      'verbs.1.risk',
      'verbs.2.verb',
      'verbs.3.destructive',
      'verbs.4.read_only',
      'verbs.5.read_only',
    ]);
    expect(faults[1]?.message).toContain('cannot be below high, which delete has');
  });

  it('of another organization is one of a tool that does not exist', async () => {
    const stranger = await newCustomer(app);
    expect(outcome(await preview(stranger.token, 'reconcile'))).toBe('404 not_found');
  });
});

function contractWith(verbs: readonly object[], risk: string | null): ToolContract {
  return contractOf(inputValues(TOOL_DRAFT.fields, { toolKey: 'desk', verbs, risk }), 1);
}

const risks = fc.constantFrom(...RISK_LEVELS.codes);

describe('the risk of a verb', () => {
  it('is never below that of the published verb, whatever tool or row says', () => {
    fc.assert(
      fc.property(fc.constantFrom(...VERBS.rows), risks, ({ code, risk }, said) => {
        const contract = contractWith([{ verb: code }], said);
        const expected = higherRisk(said, risk);
        expect(contract.verbs[0]?.risk).toBe(expected);
        const stored = storedContract({
          ...contract,
          verbs: contract.verbs.map((rule) => ({ ...rule, risk: said })),
        });
        expect(readContract(stored).verbs[0]?.risk).toBe(expected);
      }),
    );
  });

  it('of a declared verb is what it says, and its reach grows with it', () => {
    fc.assert(
      fc.property(fc.stringMatching(/^x[a-z]{2,9}$/), risks, (verb, risk) => {
        const [rule] = contractWith([{ verb, risk }], null).verbs;
        expect(rule).toMatchObject({
          verb,
          risk,
          origin: 'declared',
          destructive: risk === 'critical',
        });
        const isRisky = risk === 'high' || risk === 'critical';
        const meaning = meaningOf({ verb, risk, readOnly: false });
        expect(meaning).toMatchObject({ scope: isRisky ? 'many' : 'one', money: true });
        const reads = { destructive: false, scope: 'none', money: false };
        expect(meaningOf({ verb, risk, readOnly: true })).toEqual(reads);
      }),
    );
  });

  it('of a contract that was stored before is read with its origin', () => {
    const contract = contractWith([{ verb: 'read' }], null);
    const { verbs, ...rest } = storedContract(contract);
    const former = (verbs as { origin: string }[]).map(({ origin: _none, ...each }) => each);
    expect(readContract({ ...rest, verbs: former })).toEqual(contract);
  });
});
