// Loaded into a gateway by `--import`: its wall clock is off by GW_TEST_CLOCK_SHIFT_MS, and jumps
// ahead by another hour at each SIGUSR2, as if somebody had set it. Monotonic clocks stay.
const HOUR_MS = 3_600_000;
const Wall = Date;
let shiftMs = Number(process.env.GW_TEST_CLOCK_SHIFT_MS ?? 0);

class ShiftedDate extends Wall {
  constructor(...given) {
    super(...(given.length === 0 ? [Wall.now() + shiftMs] : given));
  }

  static now() {
    return Wall.now() + shiftMs;
  }

  /** What Node itself has made is a date as well. */
  static [Symbol.hasInstance](value) {
    return Wall[Symbol.hasInstance].call(Wall, value);
  }
}

Object.defineProperty(ShiftedDate, 'name', { value: 'Date' });
globalThis.Date = ShiftedDate;

process.on('SIGUSR2', () => {
  shiftMs += HOUR_MS;
  process.stderr.write(`the wall clock says ${new Date().toISOString()}\n`);
});
