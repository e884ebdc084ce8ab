import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  hasRoom,
  nextLimit,
  REQUEST_CLASSES,
  roomOf,
} from '../../../src/app/load/shedding.rules.js';
import { Tally } from '../../../src/app/load/tally.js';

const BOUNDS = { min: 64, max: 2_000 };
const look = fc.record({
  pressure: fc.double({ min: 0, max: 100, noNaN: true }),
  peak: fc.nat(4_000),
});
const calm = { pressure: 1, peak: 0 };

describe('the limit of what is worked on', () => {
  it('stays within its bounds whatever is seen', () => {
    fc.assert(
      fc.property(fc.array(look, { maxLength: 100 }), (looks) => {
        let limit = BOUNDS.max;
        for (const each of looks) {
          limit = nextLimit(limit, each, BOUNDS);
          expect(limit).toBeGreaterThanOrEqual(BOUNDS.min);
          expect(limit).toBeLessThanOrEqual(BOUNDS.max);
          expect(Number.isInteger(limit)).toBe(true);
        }
      }),
    );
  });

  it('falls in proportion to the delay, from what was in use, and by three tenths at most', () => {
    const fallen = (pressure: number, peak = 1_000) => nextLimit(1_000, { pressure, peak }, BOUNDS);
    expect([1, 1.5, 2, 3, 50].map((pressure) => fallen(pressure))).toEqual([
      1_032, 900, 800, 700, 700,
    ]);
    expect(fallen(2, 500)).toBe(400);
    expect(fallen(2, 0)).toBe(BOUNDS.min);
    fc.assert(
      fc.property(look, fc.integer(BOUNDS), (seen, limit) => {
        const late = { ...seen, pressure: 1.01 + seen.pressure };
        expect(nextLimit(limit, late, BOUNDS)).toBeLessThanOrEqual(limit);
      }),
    );
  });

  it('is all that there is again soon after the load has ended', () => {
    fc.assert(
      fc.property(fc.integer(BOUNDS), (low) => {
        let limit = low;
        for (let count = 0; count < 2 * Math.sqrt(BOUNDS.max); count += 1) {
          limit = nextLimit(limit, calm, BOUNDS);
        }
        expect(limit).toBe(BOUNDS.max);
      }),
    );
  });
});

describe('classes', () => {
  it('leave room to those above them, however much is asked for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 10, max: 5_000 }), (all) => {
        const rooms = REQUEST_CLASSES.map(({ name }) => roomOf(name, all));
        expect(rooms[0]).toBe(all);
        for (const [index, room] of rooms.entries()) {
          const below = rooms[index + 1] ?? 0;
          expect(room).toBeGreaterThan(below);
          // Full of the class below, by many callers: whoever comes next finds room above.
          const first = { own: 0, callers: 70 };
          expect(hasRoom({ ...first, total: Math.ceil(below * 1.5) }, room)).toBe(true);
          expect(hasRoom({ ...first, total: Math.ceil(room * 1.5) }, room)).toBe(false);
          expect(hasRoom({ total: room, own: 1, callers: 2 }, room)).toBe(false);
        }
      }),
    );
  });

  it('are all served by the smallest node', () => {
    for (const { name } of REQUEST_CLASSES) {
      expect(hasRoom({ total: 0, own: 0, callers: 1 }, roomOf(name, 1))).toBe(true);
    }
  });
});

/** All ask as often as they like, the greediest first, and one request after the other ends. */
function share(room: number, greed: readonly number[], ends: readonly number[]): number[] {
  const tally = new Tally();
  const running: number[] = [];
  const askAll = () => {
    for (const [caller, times] of greed.entries()) {
      for (let count = 0; count < times; count += 1) {
        if (!hasRoom(tally.use(String(caller)), room)) break;
        tally.enter(String(caller));
        running.push(caller);
      }
    }
    expect(tally.total).toBeLessThanOrEqual(room + greed.length);
  };
  askAll();
  for (const end of ends) {
    const [ended] = running.splice(end % running.length, 1);
    tally.leave(String(ended));
    askAll();
  }
  return greed.map((_times, caller) => running.filter((each) => each === caller).length);
}

const endings = fc.array(fc.nat(), { minLength: 2_000, maxLength: 2_000 });

describe('callers', () => {
  it('each get their part where all ask for more, however much more others ask for', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 8 }), endings, (callers, ends) => {
        const room = 60;
        const greed = Array.from({ length: callers }, (_, index) => (index === 0 ? 1_000 : 1));
        const parts = share(room, greed, ends);
        const part = Math.floor(room / (callers + 1));
        for (const each of parts) expect(each).toBeGreaterThanOrEqual(part);
      }),
      { numRuns: 30 },
    );
  });

  it('find room beside one that takes all it can get', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 3_000 }), fc.nat(50), (room, others) => {
        const tally = new Tally();
        while (hasRoom(tally.use('flood'), room)) tally.enter('flood');
        expect(tally.total).toBe(Math.ceil(room * 0.9));
        for (let index = 0; index < others && tally.total < room * 1.5; index += 1) {
          expect(hasRoom(tally.use(`other ${index}`), room)).toBe(true);
          tally.enter(`other ${index}`);
        }
      }),
    );
  });

  it('that have nothing find a first place in room that has just become less', () => {
    const crowd = { total: 140, callers: 9 };
    expect(hasRoom({ ...crowd, own: 0 }, 100)).toBe(true);
    expect(hasRoom({ ...crowd, own: 1 }, 100)).toBe(false);
  });

  it('that are alone get most of it, and all of it but what is kept for the next', () => {
    expect(share(100, [1_000], [])).toEqual([90]);
    expect(share(100, [1_000, 1_000], Array(2_000).fill(0))).toEqual([56, 34]);
  });

  it('are forgotten with their last request', () => {
    const tally = new Tally();
    tally.enter('one');
    tally.enter('one');
    tally.leave('one');
    expect(tally.use('other')).toEqual({ total: 1, own: 0, callers: 2 });
    tally.leave('one');
    expect(tally.use('other')).toEqual({ total: 0, own: 0, callers: 1 });
  });
});
