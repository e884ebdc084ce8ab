import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide, type Guard } from '../../src/kernel/decision.js';
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
  const guards: Guard<number, 'high' | 'low' | 'none'>[] = [
    { name: 'high', outcome: 'high', applies: (n) => n > 9, reason: (n) => `${n} is over 9` },
    { name: 'low', outcome: 'low', applies: (n) => n > 0, reason: (n) => `${n} is over 0` },
    { name: 'rest', outcome: 'none', applies: () => true, reason: () => 'nothing else applies' },
  ];

  it('is made by the first guard that applies, and names those before it', () => {
    expect(decide(guards, 10)).toEqual({
      outcome: 'high',
      guard: 'high',
      reason: '10 is over 9',
      passed: [],
    });
    expect(decide(guards, 0)).toEqual({
      outcome: 'none',
      guard: 'rest',
      reason: 'nothing else applies',
      passed: ['high', 'low'],
    });
  });

  it('is always made by the first guard that applies', () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 8 }), (applying) => {
        const rows = [...applying, true].map((applies, index) => ({
          name: String(index),
          outcome: 'x' as const,
          applies: () => applies,
          reason: () => '',
        }));
        const first = [...applying, true].indexOf(true);
        const decided = decide(rows, undefined);
        expect(decided.guard).toBe(String(first));
        expect(decided.passed).toEqual(rows.slice(0, first).map(({ name }) => name));
      }),
    );
  });

  it('without a guard that always applies is a fault of the table', () => {
    expect(() => decide(guards.slice(0, 2), 0)).toThrow(RangeError);
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
