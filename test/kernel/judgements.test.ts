import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type DecisionTable, decide, publishedGuards } from '../../src/kernel/decision.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { type Lifecycle, next } from '../../src/kernel/lifecycle.js';
import { declared, estimated, measured } from '../../src/kernel/provenance.js';
import { whenEnough } from '../../src/kernel/verdict.js';
import { thrownBy } from './thrown.js';

type State = 'draft' | 'live' | 'closed';
type Event = 'publish' | 'close';

const TABLE: Lifecycle<State, Event> = {
  draft: { publish: 'live', close: 'closed' },
  live: { close: 'closed' },
  closed: {},
};

describe('a lifecycle', () => {
  it('moves by its table', () => {
    expect(next(TABLE, 'draft', 'publish')).toBe('live');
    expect(next(TABLE, 'live', 'close')).toBe('closed');
  });

  it('refuses what the table lacks and names what is possible', () => {
    const refused = thrownBy(() => next(TABLE, 'live', 'publish'));
    expect(refused).toBeInstanceOf(GatewayError);
    expect(refused).toMatchObject({
      code: 'lifecycle_refused',
      message: '"publish" is not possible in the state "live"; possible: close.',
      details: { param: 'event' },
    });
    expect(thrownBy(() => next(TABLE, 'closed', 'close'))).toMatchObject({
      message: '"close" is not possible in the state "closed"; possible: nothing.',
    });
  });

  it('takes no event from outside the table, such as the name of an inherited property', () => {
    for (const event of ['toString', 'constructor', '__proto__']) {
      expect(thrownBy(() => next(TABLE, 'draft', event as Event))).toMatchObject({
        code: 'lifecycle_refused',
      });
    }
  });
});

describe('a decision', () => {
  const table: DecisionTable<number, 'high' | 'low' | 'none'> = [
    {
      code: 'high',
      outcome: 'high',
      description: 'over 9',
      applies: (n) => n > 9,
      reason: (n) => `${n} is over 9`,
    },
    { code: 'low', outcome: 'low', description: 'over 0', applies: (n) => n > 0 },
    { code: 'rest', outcome: 'none', description: 'nothing else applies', applies: () => true },
  ];
  const high = { guard: 'high', outcome: 'high', reason: '10 is over 9' };
  const low = { guard: 'low', outcome: 'low', reason: 'over 0' };
  const rest = { guard: 'rest', outcome: 'none', reason: 'nothing else applies' };

  it('is made by the first row that applies, and tells all that do except the last resort', () => {
    expect(decide(table, 10)).toEqual({ ...high, reasons: [high, low] });
    expect(decide(table, 1)).toEqual({ ...low, reasons: [low] });
    expect(decide(table, 0)).toEqual({ ...rest, reasons: [rest] });
  });

  it('is published in the order in which it is made, without what is code', () => {
    expect(publishedGuards(table)).toEqual([
      { code: 'high', outcome: 'high', description: 'over 9' },
      { code: 'low', outcome: 'low', description: 'over 0' },
      { code: 'rest', outcome: 'none', description: 'nothing else applies' },
    ]);
  });

  it('is always made by the first row that applies', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 8 }), (applying) => {
        const rows = [...applying, true].map((applies, index) => ({
          code: String(index),
          outcome: 'x' as const,
          description: '',
          applies: () => applies,
        }));
        const told = applying.flatMap((applies, index) => (applies ? [String(index)] : []));
        const decided = decide(rows, undefined);
        expect(decided.guard).toBe(String([...applying, true].indexOf(true)));
        expect(decided.reasons.map(({ guard }) => guard)).toEqual(
          told.length > 0 ? told : [String(applying.length)],
        );
      }),
    );
  });

  it('without a row that always applies is a fault of the table, whatever decides', () => {
    expect(() => decide(table.slice(0, 2), 0)).toThrow(RangeError);
    expect(() => decide([], 0)).toThrow(RangeError);
  });
});

describe('a verdict', () => {
  const refusal = { otherwise: 'cannot_allocate', reason: 'no units' } as const;

  it('is the rule where nothing is missing', () => {
    const value = { value: 2, missing: [] };
    expect(whenEnough(value, refusal, (units) => units * 2)).toBe(4);
  });

  it('refuses without reaching the rule where a part is missing', () => {
    const rule = () => {
      throw new Error('the rule was reached');
    };
    expect(whenEnough({ value: 2, missing: ['units', 'driver'] }, refusal, rule)).toEqual({
      verdict: 'cannot_allocate',
      reason: 'no units',
      needed: ['units', 'driver'],
    });
  });
});

describe('provenance', () => {
  it('says where a figure comes from and from how many rows', () => {
    expect(measured([1, 2, 3], (rows) => rows.length)).toEqual({
      value: 3,
      provenance: 'live_measured',
      rowCount: 3,
    });
    expect(declared('x')).toEqual({ value: 'x', provenance: 'declared', rowCount: 0 });
    expect(estimated(1.5)).toEqual({ value: 1.5, provenance: 'estimated', rowCount: 0 });
  });
});
