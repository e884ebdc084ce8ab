import fc from 'fast-check';
import { expect, it } from 'vitest';
import { effortInForce } from '../../../src/inference/workload/effort.rules.js';
import { REASONING_EFFORTS } from '../../../src/routing/workloads/contract-vocabulary.js';

const EFFORTS: readonly string[] = REASONING_EFFORTS.codes;
const EFFORT = fc.constantFrom(...REASONING_EFFORTS.codes);

it('an effort in force is never higher than what was asked or what the contract allows', () => {
  fc.assert(
    fc.property(EFFORT, EFFORT, fc.boolean(), (asked, most, reasons) => {
      const body = { reasoning_effort: asked };
      const { effort = '' } = effortInForce(body, most, reasons);
      const lowest = Math.min(EFFORTS.indexOf(asked), EFFORTS.indexOf(most));
      expect(EFFORTS.indexOf(effort)).toBe(lowest);
      // Twice is the same as once.
      expect(effortInForce({ reasoning_effort: effort }, most, reasons).effort).toBe(effort);
    }),
  );
});

it('an effort outside of the order is left, and a model that cannot reason is told nothing', () => {
  fc.assert(
    fc.property(fc.string(), EFFORT, (asked, most) => {
      fc.pre(!EFFORTS.includes(asked));
      expect(effortInForce({ reasoning_effort: asked }, most, true)).toEqual({
        effort: asked,
        reason: 'effort_unknown',
      });
      expect(effortInForce({}, most, false).effort).toBeUndefined();
    }),
  );
});
