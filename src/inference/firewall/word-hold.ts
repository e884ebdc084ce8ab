import { ownRulesOf } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';

const CAPITALISED = /^["«(]?[А-ЯЁ][А-Яа-яЁё-]*$/;
const SENTENCE_ENDS = /[.!?…:;]["»)]{0,3}$/;

/**
 * Which words of a stream wait for the next one. A name may go on after a word with a capital, and
 * a phrase of a policy's own class after any word of a sentence; digits have a rule of their own.
 */
export class WordHold {
  readonly #holdsSentences: boolean;
  readonly #holdsNames: boolean;

  constructor(modes: FirewallModes) {
    this.#holdsSentences = ownRulesOf(modes) !== undefined;
    this.#holdsNames = modes.person_name !== 'off';
  }

  /** True where what follows a word, behind the space of code `space`, may belong to a finding. */
  waitsAfter(word: string, space: number): boolean {
    if (this.#holdsSentences) return space !== 10 && !SENTENCE_ENDS.test(word);
    return this.#holdsNames && CAPITALISED.test(word);
  }

  /** True where a segment of plain words is worth a look, whatever its characters. */
  get looksAtWords(): boolean {
    return this.#holdsSentences;
  }
}
