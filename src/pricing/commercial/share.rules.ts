/** Shares are shown with so many steps from 0 to 1. */
const STEPS = 1_000_000;

/** A share to six places, the nearest one. */
export function point(share: number): number {
  return Math.round(share * STEPS) / STEPS;
}

/** The lower end of an interval to six places, rounded down: it never becomes narrower. */
export function lowEnd(share: number): number {
  return Math.floor(share * STEPS) / STEPS;
}

/** The upper end of an interval to six places, rounded up: it never becomes narrower. */
export function highEnd(share: number): number {
  return Math.ceil(share * STEPS) / STEPS;
}
