import { ownRulesOf } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';

const CAPITALISED = /^["«(]?[А-ЯЁ][А-Яа-яЁё-]*$/;
/** Words behind which an address goes on: «г.», «ул.», «Тула,», «проживает:», «собака», «точка». */
const OPENS_ADDRESS = new RegExp(
  '^["«(]?(?:(?:г|город|с|пос|п|рп|д|дом|обл|область|р-н|край|ул|улица|пр-т|пр-кт|просп|проспект|' +
    'пер|переулок|бульвар|б-р|наб|набережная|ш|шоссе|пр-д|проезд|пл|площадь|аллея|мкр|снт|' +
    'прожива[а-яё]+|прописан[а-я]?|прописка|жив(?:у|[её]т)|адрес[а-я]?)[.,:]?)$',
  'i',
);
const TOWN = /^["«(]?[А-ЯЁ][А-Яа-яЁё-]*,$/;
const SPELLS_EMAIL =
  /^(?:собак[ауе]|собачк[ауе]|эт|точк[ау]|тчк|dot|дот|тире|дефис|подч[её]ркивание)$/i;
const SENTENCE_ENDS = /[.!?…:;]["»)]{0,3}$/;

/**
 * Which words of a stream wait for the next one. A name may go on after a word with a capital, and
 * a phrase of a policy's own class after any word of a sentence; digits have a rule of their own.
 */
export class WordHold {
  readonly #holdsSentences: boolean;
  readonly #holdsNames: boolean;
  readonly #holdsAddresses: boolean;
  readonly #holdsEmails: boolean;

  constructor(modes: FirewallModes) {
    this.#holdsSentences = ownRulesOf(modes) !== undefined;
    this.#holdsNames = modes.person_name !== 'off';
    this.#holdsAddresses = modes.postal_address !== 'off';
    this.#holdsEmails = modes.email !== 'off';
  }

  /** True where what follows a word, behind the space of code `space`, may belong to a finding. */
  waitsAfter(word: string, space: number): boolean {
    if (this.#holdsSentences) return space !== 10 && !SENTENCE_ENDS.test(word);
    if (this.#holdsAddresses && (OPENS_ADDRESS.test(word) || TOWN.test(word))) return true;
    return (this.#holdsNames || this.#holdsAddresses) && CAPITALISED.test(word);
  }

  /** True where a word is part of an address of e-mail, so that more of it follows. */
  isPartOfEmail(word: string): boolean {
    return this.#holdsEmails && SPELLS_EMAIL.test(word);
  }

  /** True where a segment of plain words is worth a look, whatever its characters. */
  get looksAtWords(): boolean {
    return this.#holdsSentences;
  }
}
