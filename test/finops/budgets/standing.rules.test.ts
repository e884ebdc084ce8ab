import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { holds, stepsInForce, stepsToTell } from '../../../src/finops/budgets/standing.rules.js';
import { ladderStanding } from '../../../src/finops/unit-economics/ladder.rules.js';
import { LADDER } from '../../../src/finops/unit-economics/vocabulary.js';

const money = fc.bigInt({ min: 0n, max: 1_000_000_000_000n });
const recorded = fc.subarray([...LADDER.codes]);

describe('the steps in force', () => {
  it('are those that spending has reached, where nothing is recorded', () => {
    fc.assert(
      fc.property(money, money, (spentMicro, capMicro) => {
        const { steps } = ladderStanding(spentMicro, capMicro);
        expect(stepsInForce({ spentMicro, capMicro, recorded: [] })).toEqual(steps);
      }),
    );
  });

  it('hold together with all before them, and never fewer than what is recorded', () => {
    fc.assert(
      fc.property(money, money, recorded, (spentMicro, capMicro, known) => {
        const steps = stepsInForce({ spentMicro, capMicro, recorded: known });
        expect(steps).toEqual(LADDER.codes.slice(0, steps.length));
        for (const step of known) expect(steps).toContain(step);
        const standsOn = steps.at(-1) ?? null;
        const held = LADDER.codes.filter((step) => holds(step, standsOn));
        expect(held).toEqual(steps);
      }),
    );
  });

  it('never come back within a period while the cap is not raised', () => {
    const spending = fc.array(money, { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(spending, money, (spentOneByOne, capMicro) => {
        let known: readonly string[] = [];
        let before = 0;
        for (const spentMicro of spentOneByOne) {
          const climbed = { spentMicro, capMicro, recorded: known };
          const steps = stepsInForce(climbed);
          expect(steps.length).toBeGreaterThanOrEqual(before);
          expect([...known, ...stepsToTell(climbed)]).toEqual(steps);
          known = steps;
          before = steps.length;
        }
      }),
    );
  });
});
