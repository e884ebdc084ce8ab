import { describe, expect, it } from 'vitest';
import { windowOf } from '../../src/kernel/window.rules.js';

describe('the window of a report', () => {
  it('is of the last thirty days where no window is stated, and of a year at most', () => {
    const now = new Date('2026-03-01T00:00:00Z');
    expect(windowOf({}, now)).toEqual({
      from: new Date('2026-01-30T00:00:00Z'),
      to: now,
      faults: [],
    });
    const wrong = [{ from: now }, { from: new Date('2025-02-27T00:00:00Z') }];
    for (const stated of wrong) {
      expect(windowOf(stated, now).faults.map(({ path }) => path)).toEqual(['from']);
    }
  });
});
