import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type Evidence,
  evidenceOfAll,
  isFinal,
  isIdempotencyKey,
  stateAfter,
} from '../../src/records/idempotency.rules.js';

describe('an answer', () => {
  it('settles its request unless a retry can end otherwise', () => {
    const final = [200, 201, 204, 400, 401, 402, 403, 404, 413, 422];
    const open = [408, 409, 425, 429, 500, 501, 502, 503, 504];
    expect(final.filter(isFinal)).toEqual(final);
    expect(open.filter(isFinal)).toEqual([]);
  });
});

describe('an idempotency key', () => {
  it('is 1 to 255 characters that a header can carry', () => {
    expect(['a', '0197-uuid', '~!"#', 'k'.repeat(255)].every(isIdempotencyKey)).toBe(true);
    expect(['', ' ', 'a b', 'ключ', 'a\n', '\0', 'k'.repeat(256)].some(isIdempotencyKey)).toBe(
      false,
    );
  });
});

/** How far an attempt gets, and what it knows of that afterwards. */
const FATES = ['dies', 'does_not_begin', 'is_refused', 'is_answered', 'loses_its_answer'] as const;
type Fate = (typeof FATES)[number];

/** A key and its effects, as the table of records keeps them. */
class Model {
  readonly effects = new Set<number>();
  private state: 'free' | 'open' | 'done' = 'free';
  private effectId = 0;
  private attempts = 0;

  attempt(fate: Fate, isBeforeEffect: boolean): void {
    if (this.state === 'done') return;
    this.attempts += 1;
    const repeated = this.state === 'open';
    if (!repeated) this.effectId = this.attempts;
    const evidence = this.run(fate, isBeforeEffect);
    // Of a dead process only its claim is left, which counts as open.
    this.state = evidence === undefined ? 'open' : stateAfter(evidence, repeated);
  }

  private run(fate: Fate, isBeforeEffect: boolean): Evidence | undefined {
    if (fate === 'does_not_begin') return 'nothing_done';
    const stands = this.effects.has(this.effectId);
    // An effect that stands under the id is found, and then nothing refuses it any more.
    if (fate === 'is_refused' && !stands) return 'nothing_stands';
    if (!isBeforeEffect || fate === 'is_answered') this.effects.add(this.effectId);
    if (fate === 'dies') return undefined;
    return fate === 'is_answered' ? 'answered' : 'unknown';
  }
}

describe('a key', () => {
  it('has at most one effect, however its attempts end and in whatever order', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom(...FATES), fc.boolean()), { maxLength: 12 });
    fc.assert(
      fc.property(steps, (attempts) => {
        const model = new Model();
        for (const [fate, isBeforeEffect] of attempts) model.attempt(fate, isBeforeEffect);
        expect(model.effects.size).toBeLessThanOrEqual(1);
        model.attempt('is_answered', false);
        expect(model.effects.size).toBe(1);
      }),
    );
  });
});

describe('what is known of several effects', () => {
  it('is what is known of each when that is the same, and else nothing', () => {
    expect(evidenceOfAll([])).toBe('nothing_done');
    expect(evidenceOfAll(['nothing_stands', 'nothing_stands'])).toBe('nothing_stands');
    expect(evidenceOfAll(['answered', 'nothing_stands'])).toBe('unknown');
    expect(evidenceOfAll(['answered', 'answered'])).toBe('answered');
  });
});
