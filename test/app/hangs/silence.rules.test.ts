import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BEAT_EVERY_MS, hasHung, nextSilenceMs } from '../../../src/app/hangs/silence.rules.js';
import { stopLimits } from '../../../src/app/hangs/stop-limits.rules.js';

const TIMEOUT_MS = 10_000;
const elapsedMs = fc.double({ min: 0, max: 1e9, noNaN: true });
const silent = { hasBeaten: false, isDebugged: false };

describe('the silence of a process', () => {
  it('ends with a beat, and does not begin while a debugger is attached', () => {
    fc.assert(
      fc.property(fc.nat(), elapsedMs, fc.boolean(), (silenceMs, elapsed, isDebugged) => {
        const beaten = { elapsedMs: elapsed, hasBeaten: true, isDebugged };
        const debugged = { elapsedMs: elapsed, hasBeaten: false, isDebugged: true };
        expect(nextSilenceMs(silenceMs, beaten)).toBe(0);
        expect(nextSilenceMs(silenceMs, debugged)).toBe(0);
      }),
    );
  });

  it('is the time that has passed where its watcher has looked in time', () => {
    const looks = fc.array(fc.nat(2 * BEAT_EVERY_MS), { maxLength: 50 });
    fc.assert(
      fc.property(looks, (gaps) => {
        const silenceMs = gaps.reduce(
          (before, elapsed) => nextSilenceMs(before, { elapsedMs: elapsed, ...silent }),
          0,
        );
        expect(silenceMs).toBe(gaps.reduce((sum, gap) => sum + gap, 0));
      }),
    );
  });

  it('never takes a watcher that was away for a process that has hung', () => {
    fc.assert(
      fc.property(elapsedMs, (away) => {
        let silenceMs = nextSilenceMs(0, { elapsedMs: away, ...silent });
        expect(hasHung(silenceMs, TIMEOUT_MS, true)).toBe(false);
        silenceMs = nextSilenceMs(silenceMs, { elapsedMs: BEAT_EVERY_MS, ...silent });
        expect(hasHung(silenceMs, TIMEOUT_MS, true)).toBe(false);
      }),
    );
  });

  it('is a hang from the timeout on, and from six times the timeout while a worker starts', () => {
    const found = [9_999, 10_000, 59_999, 60_000].map((ms) => [
      hasHung(ms, TIMEOUT_MS, true),
      hasHung(ms, TIMEOUT_MS, false),
    ]);
    expect(found).toEqual([
      [false, false],
      [true, false],
      [true, false],
      [true, true],
    ]);
  });
});

describe('the limits of a stop', () => {
  it('follow one another, all of them within 15 s after the drain', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3_600_000 }), (drainMs) => {
        const { workersMs, processMs, hardMs } = stopLimits(drainMs);
        expect(drainMs).toBeLessThan(workersMs);
        expect(workersMs).toBeLessThan(processMs);
        expect(processMs).toBeLessThan(hardMs);
        expect(hardMs + 2 * BEAT_EVERY_MS).toBeLessThan(drainMs + 15_000);
      }),
    );
  });
});
