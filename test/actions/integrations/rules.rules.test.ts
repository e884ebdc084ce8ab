import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CONNECTORS } from '../../../src/actions/integrations/catalogue.js';
import { actionOf, connectorOf } from '../../../src/actions/integrations/input.js';
import {
  type ChangeFacts,
  decisionOn,
  riskOf,
  rollbackRefusal,
} from '../../../src/actions/integrations/rules.js';
import type { ProposedChange } from '../../../src/actions/integrations/tables.js';
import {
  ACTION_LIFECYCLE,
  ACTION_STATUSES,
  APPROVAL_RULES,
  RISK_LEVELS,
} from '../../../src/actions/integrations/vocabulary.js';

function factsOf(name: string, changes: readonly ProposedChange[], isAgent = false): ChangeFacts {
  const [connectorId = '', actionId = ''] = name.split(' ');
  const connector = connectorOf(connectorId);
  const action = connector && actionOf(connector, actionId);
  if (!action) throw new Error(`no ${name}`);
  return { action, changes, isAgent };
}

function changed(field: string, before: unknown, after: unknown): ProposedChange {
  return { field, kind: 'changed', old: before as string, new: after as string };
}

const MANY = Array.from({ length: 20 }, (_, at) => changed(`custom.f${at}`, 1, 2));
const COMPANY = changed('company', 'a', 'b');
const AMOUNT = changed('amount_rub', 100, 200);
const HUGE = changed('amount_rub', 0, 1_000_000);

describe('the risk of a change', () => {
  it.each([
    ['bitrix24 contact.update', [COMPANY], false, 'low', []],
    ['bitrix24 contact.update', [changed('phone', '1', '2')], false, 'medium', ['personal_data']],
    ['bitrix24 deal.update', [changed('stage', 'new', 'won')], false, 'medium', []],
    ['bitrix24 deal.update', [AMOUNT], false, 'high', ['money']],
    ['bitrix24 deal.update', [HUGE], false, 'critical', ['money', 'large_amount']],
    ['bitrix24 contact.update', MANY, false, 'high', ['bulk']],
    ['bitrix24 contact.update', MANY.slice(1), false, 'low', []],
    ['csv row.delete', [COMPANY], false, 'high', ['destructive']],
    ['telegram message.send', [changed('text', null, 'hi')], false, 'medium', []],
    ['telegram message.send', [changed('text', null, 'hi')], true, 'high', ['agent_irreversible']],
    ['1c payment.create', [changed('account', null, '407')], false, 'high', ['money']],
  ] as const)('of %s %#', (name, changes, isAgent, level, rules) => {
    expect(riskOf(factsOf(name, changes, isAgent))).toEqual({ level, rules });
  });

  it('is never below the class of the action, nor lower for an agent', () => {
    const order = RISK_LEVELS.codes;
    const anyAction = fc.constantFrom(...CONNECTORS.flatMap(({ actions }) => [...actions]));
    const anyChange = fc.constantFrom(COMPANY, AMOUNT, HUGE, changed('phone', '1', '2'));
    fc.assert(
      fc.property(anyAction, fc.array(anyChange, { maxLength: 25 }), (action, changes) => {
        const byMember = riskOf({ action, changes, isAgent: false }).level;
        const byAgent = riskOf({ action, changes, isAgent: true }).level;
        expect(order.indexOf(byMember)).toBeGreaterThanOrEqual(order.indexOf(action.risk));
        expect(order.indexOf(byAgent)).toBeGreaterThanOrEqual(order.indexOf(byMember));
      }),
    );
  });
});

describe('who decides about a change', () => {
  it.each([
    ['bitrix24 contact.update', [], 'low', false, 'blocked', 'no_change'],
    ['bitrix24 deal.update', [HUGE], 'critical', true, 'blocked', 'agent_critical'],
    ['bitrix24 deal.update', [HUGE], 'critical', false, 'after_approval', 'high_risk'],
    ['1c payment.create', [AMOUNT], 'high', false, 'after_approval', 'action_always'],
    ['bitrix24 deal.update', [AMOUNT], 'high', false, 'after_approval', 'high_risk'],
    ['bitrix24 deal.update', [COMPANY], 'medium', true, 'after_approval', 'agent_medium'],
    ['bitrix24 deal.update', [COMPANY], 'medium', false, 'auto', 'person_medium'],
    ['bitrix24 contact.update', [COMPANY], 'low', true, 'auto', 'low_risk'],
  ] as const)('%s %#', (name, changes, risk, isAgent, outcome, guard) => {
    const decided = decisionOn(factsOf(name, changes, isAgent), risk);
    const reason = APPROVAL_RULES.find(guard)?.description;
    expect(decided).toMatchObject({ outcome, guard, reason });
    expect(decided.reasons[0]).toEqual({ outcome, guard, reason });
  });
});

describe('an undoing', () => {
  it('is refused for what cannot be taken back, and to agents for what was approved', () => {
    const { action: send } = factsOf('telegram message.send', []);
    const { action: update } = factsOf('bitrix24 deal.update', []);
    expect(rollbackRefusal(send, false, false)).toBe('message.send cannot be taken back');
    expect(rollbackRefusal(update, true, true)).toBe(
      'an agent cannot undo what a person has approved',
    );
    expect(rollbackRefusal(update, true, false)).toBeNull();
    expect(rollbackRefusal(update, false, true)).toBeNull();
  });
});

describe('the catalogue', () => {
  it('names every connector, action and field once, and covers every kind of system', () => {
    const ids = CONNECTORS.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { actions } of CONNECTORS) {
      expect(new Set(actions.map(({ id }) => id)).size).toBe(actions.length);
      for (const { fields } of actions) {
        expect(new Set(fields.map(({ name }) => name)).size).toBe(fields.length);
      }
    }
    expect([...new Set(CONNECTORS.map(({ category }) => category))].sort()).toEqual(
      ['accounting', 'crm', 'csv', 'drive', 'email', 'messenger', 'webhook', 'workflow'].sort(),
    );
  });

  it('promises nothing: every connector is simulated', () => {
    expect(new Set(CONNECTORS.map(({ status }) => status))).toEqual(new Set(['simulated']));
  });
});

describe('the life of an action', () => {
  it('leads only to states that the list has, and ends', () => {
    const states = ACTION_STATUSES.rows.map(({ code }) => code) as readonly string[];
    for (const steps of Object.values(ACTION_LIFECYCLE)) {
      for (const state of Object.values(steps)) expect(states).toContain(state);
    }
    const ends = ACTION_STATUSES.rows.filter(({ next }) => Object.keys(next).length === 0);
    expect(ends.map(({ code }) => code)).toEqual([
      'rolled_back',
      'blocked',
      'rejected',
      'expired',
      'voided',
      'failed',
    ]);
  });
});
