import { Dice } from '../values.js';
import { MENTIONS } from './mentions.js';
import { REGISTERS, textOf } from './registers.js';

/** A text with one value in it, and where the value stands. */
export interface UnseenCase {
  readonly class: string;
  readonly register: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Every class `times` times in every register, the same texts for the same seed. */
export function unseenCases(times: number, seed: number): UnseenCase[] {
  const dice = new Dice(seed);
  return Object.entries(MENTIONS).flatMap(([code, mention]) =>
    Object.entries(REGISTERS).flatMap(([name, register]) =>
      Array.from({ length: times }, () => ({
        class: code,
        register: name,
        ...textOf(mention(dice), register, dice),
      })),
    ),
  );
}
