import { HARMLESS_FRAMES } from './held-out-frames.js';
import { LOOSE_SLOTS } from './loose-values.js';
import { bankPair, Dice, SLOTS } from './values.js';

/** A text and what must be found in it, in order: nothing more and nothing less. */
export interface Case {
  readonly text: string;
  readonly findings: readonly { readonly class: string; readonly value: string }[];
}

/** What stands between a word and its value: `{g}`. */
const GLUES = [': ', ' ', ' - ', ' — ', ' вот ', ', ', ' = ', ' : ', ':\n', ' | ', '\t', ' . '];
const SLOT = /\{([A-Za-z]+)\}/g;

function filled(frame: string, dice: Dice): Case {
  const bank = bankPair(dice);
  const findings: { class: string; value: string }[] = [];
  const text = frame.replace(SLOT, (_, name: string) => {
    if (name === 'bic') return bank.bic;
    if (name === 'g') return dice.pick(GLUES);
    const [found, value] =
      name === 'account' ? ['bank_account', bank.account] : slotValue(name, dice);
    findings.push({ class: found, value });
    return value;
  });
  return { text, findings };
}

function slotValue(name: string, dice: Dice): readonly [string, string] {
  const slot = SLOTS[name] ?? LOOSE_SLOTS[name];
  if (!slot) throw new Error(`no slot is named ${name}`);
  return [slot[0], slot[1](dice)];
}

/** Every frame with `times` sets of values, the same ones for the same seed. */
export function casesOf(frames: readonly string[], times: number, seed: number): Case[] {
  const dice = new Dice(seed);
  return frames.flatMap((frame) => Array.from({ length: times }, () => filled(frame, dice)));
}

const NUMBER = /\{(\d?)d(\d+)\}|\{(n|u)\}/g;

/** Harmless texts from frames, `times` of each. */
export function harmlessCases(times: number, seed: number): Case[] {
  const dice = new Dice(seed);
  const uuid = () =>
    [8, 4, 4, 4, 12]
      .map((length) => Array.from({ length }, () => dice.pick([...'0123456789abcdef'])).join(''))
      .join('-');
  const number = (lead: string, count: number) =>
    lead === '8' || lead === '7'
      ? lead + dice.pick(['916', '903', '495', '926']) + dice.digits(count - 3)
      : `${lead}${1 + dice.roll(9)}${dice.digits(count - 1)}`;
  return HARMLESS_FRAMES.flatMap((frame) =>
    Array.from({ length: times }, () => ({
      text: frame.replace(NUMBER, (_, lead: string, count: string, other?: string) => {
        if (other === 'u') return uuid();
        return other === 'n' ? String(1 + dice.roll(4)) : number(lead ?? '', Number(count));
      }),
      findings: [],
    })),
  );
}

/** One case a line, as the files of the corpus hold them. */
export function asLines(cases: readonly Case[]): string {
  return `${cases.map((each) => JSON.stringify(each)).join('\n')}\n`;
}
