import fc from 'fast-check';
import { beforeEach, describe, expect, it } from 'vitest';
import { AttemptFailure } from '../../../src/inference/upstream/attempt-failure.js';
import type { AttemptError } from '../../../src/inference/upstream/call.js';
import type { AnswerForm } from '../../../src/inference/upstream/pace.js';
import { firstByteMs, type PatienceFacts } from '../../../src/inference/upstream/patience.js';
import { Standing } from '../../../src/inference/upstream/standing.js';

let nowMs = 0;
let maySlow = true;
let standing: Standing;
beforeEach(() => {
  maySlow = true;
  standing = new Standing({ opens: true, now: () => nowMs, maySlow: () => maySlow });
});

function answer(tookMs: number, count = 1, form: AnswerForm = 'stream'): void {
  for (let call = 0; call < count; call += 1) {
    const visit = standing.enter();
    visit?.answered(form, tookMs);
    visit?.ended(undefined);
  }
}

function fail(error: AttemptError, count = 1, early = false): void {
  for (let call = 0; call < count; call += 1) {
    standing.enter()?.failed(new AttemptFailure(error, 'x'), early);
  }
}

describe('a deployment is set aside', () => {
  it('for silence: five calls in a row were given up early, which no breaker counts', () => {
    fail('first_byte_timeout', 4, true);
    answer(100);
    fail('first_byte_timeout', 4, true);
    expect(standing.aside).toBe(null);
    fail('first_byte_timeout', 1, true);
    expect([standing.aside, standing.keepsOut(), standing.state]).toEqual([
      'silent',
      true,
      'closed',
    ]);
    expect(standing.figures.failures).toBe(0);
  });

  it('for failing: a fifth of twenty calls', () => {
    for (let five = 0; five < 4; five += 1) {
      expect(standing.aside).toBe(null);
      answer(100, 4);
      fail('reset');
    }
    expect([standing.aside, standing.state]).toEqual(['failing', 'closed']);
  });

  it('and is not for failures of fewer than one in five', () => {
    for (let seven = 0; seven < 20; seven += 1) {
      answer(100, 6);
      fail('reset');
    }
    expect(standing.aside).toBe(null);
  });

  it('for our credentials: three refusals in a row, which no breaker counts', () => {
    fail('credentials_refused', 2);
    answer(100);
    fail('credentials_refused', 2);
    expect(standing.aside).toBe(null);
    fail('credentials_refused');
    expect([standing.aside, standing.state, standing.figures.failures]).toEqual([
      'credentials_refused',
      'closed',
      0,
    ]);
  });

  it.each([
    ['stream', 100, 1_200],
    ['whole', 1_000, 11_000],
  ] as const)('for slowness against its own history: %s', (form, usual, slow) => {
    answer(usual, 30, form);
    answer(slow, 5, form);
    expect(standing.aside).toBe(null);
    answer(slow, 5, form);
    expect(standing.aside).toBe('slow');
  });

  it.each([
    ['that was always slow', 20_000, 20_000, 'stream'],
    ['that is many times slower but not by a second', 20, 900, 'stream'],
    ['that is a second slower but not many times', 1_000, 3_000, 'stream'],
    ['whose whole answers are ten times longer but not by five seconds', 100, 4_000, 'whole'],
    ['whose whole answers are five times longer', 2_000, 11_000, 'whole'],
  ] as const)('and one %s is not', (_, usual, later, form) => {
    answer(usual, 40, form);
    answer(later, 40, form);
    expect(standing.aside).toBe(null);
  });

  it('never for slowness without a history, and not when most are slow already', () => {
    answer(50, 15);
    answer(60_000, 5);
    expect(standing.aside).toBe(null);
    answer(50, 40);
    maySlow = false;
    answer(60_000, 20);
    expect(standing.aside).toBe(null);
  });

  it.each(['rejected', 'rate_limited', 'aborted', 'internal', 'total_timeout'] as const)(
    'never for %s',
    (error) => {
      fail(error, 100);
      expect(standing.aside).toBe(null);
    },
  );
});

describe('a deployment that is set aside', () => {
  const asides = { silent: () => fail('first_byte_timeout', 5, true) };

  it('comes back by one probe after thirty seconds', () => {
    asides.silent();
    nowMs += 29_999;
    expect(standing.keepsOut()).toBe(true);
    nowMs += 1;
    expect(standing.keepsOut()).toBe(false);
    const probe = standing.enter();
    expect([standing.keepsOut(), probe?.patience]).toEqual([true, 1]);
    probe?.answered('stream', 100);
    expect([standing.keepsOut(), standing.aside]).toEqual([false, null]);
    expect(standing.enter()?.patience).toBe(0);
  });

  it('stays away longer each time in a row, five minutes at most', () => {
    asides.silent();
    const waits: number[] = [];
    for (let probe = 0; probe < 12; probe += 1) {
      let waited = 0;
      for (; standing.keepsOut(); waited += 10_000) nowMs += 10_000;
      waits.push(waited);
      fail('first_byte_timeout', 1, true);
    }
    expect(waits.slice(0, 3)).toEqual([30_000, 60_000, 90_000]);
    expect(waits.slice(-2)).toEqual([300_000, 300_000]);
  });

  it('that comes back and fails again at once stays away longer', () => {
    asides.silent();
    nowMs += 30_000;
    answer(100);
    asides.silent();
    nowMs += 59_999;
    expect(standing.keepsOut()).toBe(true);
    nowMs += 1;
    expect(standing.keepsOut()).toBe(false);
  });

  it('can be probed at once after a probe that the client gave up', () => {
    asides.silent();
    nowMs += 30_000;
    fail('aborted', 10);
    expect(standing.keepsOut()).toBe(false);
    answer(100);
    expect(standing.aside).toBe(null);
  });

  it('for slowness stays away when the probe is slow too', () => {
    answer(100, 30);
    answer(3_000, 10);
    nowMs += 30_000;
    answer(3_000);
    expect([standing.aside, standing.keepsOut()]).toEqual(['slow', true]);
    nowMs += 60_000;
    answer(120);
    expect(standing.aside).toBe(null);
  });
});

describe('a deployment that has never answered', () => {
  it('is crowded while four calls wait for it', () => {
    const visits = Array.from({ length: 4 }, () => standing.enter());
    expect(standing.isCrowdedUnproven()).toBe(true);
    visits[0]?.failed(new AttemptFailure('aborted', 'x'));
    expect(standing.isCrowdedUnproven()).toBe(false);
    visits[1]?.answered('stream', 1);
    for (let call = 0; call < 10; call += 1) standing.enter();
    expect(standing.isCrowdedUnproven()).toBe(false);
  });
});

describe('the deadline of a first byte', () => {
  const facts: PatienceFacts = {
    form: 'stream',
    configuredMs: 30_000,
    otherReady: true,
    usualMs: 100,
    sharedMs: 60_000,
    fellSilent: false,
    probe: 0,
  };

  it.each([
    ['is at least a second', {}, 1_000],
    ['and four for a whole answer', { form: 'whole' }, 4_000],
    ['is four times what is usual', { usualMs: 600 }, 2_400],
    ['is as configured for whom is always slow', { usualMs: 20_000 }, 30_000],
    ['is as configured where nobody could take over', { otherReady: false }, 30_000],
    ['also when others found it silent', { otherReady: false, fellSilent: true }, 30_000],
    ['is as configured where nothing is known', { usualMs: undefined }, 30_000],
    ['leaves half of the time to the others', { usualMs: undefined, sharedMs: 30_000 }, 15_000],
    ['is over when others found it silent', { fellSilent: true }, 0],
    ['is longer for a probe', { probe: 1 }, 1_600],
    ['and for the next one', { probe: 2 }, 6_400],
  ] as const)('%s', (_, more, expected) => {
    expect(firstByteMs({ ...facts, ...more })).toBe(expected);
  });

  it('is never longer than configured, and never shorter than a second without a reason', () => {
    fc.assert(
      fc.property(
        fc.record({
          form: fc.constantFrom('stream' as const, 'whole' as const),
          configuredMs: fc.nat(600_000),
          otherReady: fc.boolean(),
          usualMs: fc.option(fc.nat(100_000), { nil: undefined }),
          sharedMs: fc.nat(600_000),
          fellSilent: fc.constant(false),
          probe: fc.nat(20),
        }),
        (any) => {
          const deadline = firstByteMs(any);
          expect(deadline).toBeLessThanOrEqual(any.configuredMs);
          if (!any.otherReady) expect(deadline).toBe(any.configuredMs);
          const least = Math.min(any.configuredMs, any.sharedMs / 2, 1_000);
          expect(deadline).toBeGreaterThanOrEqual(least);
        },
      ),
    );
  });
});
