/** How often each letter stands in Russian texts, in hundredths of a percent. */
const FREQUENCIES: ReadonlyMap<string, number> = new Map(
  (
    'о1097 е845 а801 и735 н670 т626 с547 р473 в454 л440 к349 м321 д298 п281 у262 я201 ' +
    'ы190 ь174 г170 з165 б159 ч144 й121 х97 ж94 ш73 ю64 ц48 щ36 э32 ф26 ё10 ъ4'
  )
    .split(' ')
    .map((row): [string, number] => [row.charAt(0), Number(row.slice(1))]),
);

/** Logarithms of how likely characters are that are no letters of Russian texts. */
const LIKELIHOODS = { mark: -4, western: -3, other: -9 } as const;
/** What a text hardly ever has: two neighbours that are unlikely, as logarithms. */
const UNLIKELY = { capitalWithin: -5, mixedWord: -5, westernPair: -3 } as const;

const MARKS = /[«»“”„‘’‚‹›–—…№·•°§©®™\u00a0]/;
const WESTERN = /[\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u00ff]/;
const LATIN = /[A-Za-z]/;

/** What a character is to its neighbours. */
const KIND = { none: 0, lower: 1, upper: 2, latin: 3, western: 4 } as const;

/** An encoding with one byte for each letter. */
export class LetterTable {
  readonly #decoder: TextDecoder;
  readonly #bytes = new Map<string, number>();
  readonly #likelihoods = new Float64Array(0x100);
  readonly #kinds = new Uint8Array(0x100);

  /** @param prior how likely the encoding is before anything was read, as a logarithm */
  constructor(
    readonly name: string,
    private readonly prior = 0,
  ) {
    this.#decoder = new TextDecoder(name);
    for (let byte = 0; byte < 0x100; byte += 1) {
      const letter = this.#decoder.decode(Uint8Array.of(byte));
      this.#bytes.set(letter, byte);
      this.#kinds[byte] = kindOf(letter);
      if (byte >= 0x80) this.#likelihoods[byte] = likelihoodOf(letter);
    }
  }

  decode(bytes: Buffer): string {
    return this.#decoder.decode(bytes);
  }

  /** What the encoding does not have becomes a question mark. */
  encode(text: string): Buffer {
    return Buffer.from(Array.from(text, (letter) => this.#bytes.get(letter) ?? QUESTION));
  }

  /** How likely bytes are a text in this encoding, as a logarithm; it grows with their number. */
  likelihoodOf(bytes: Buffer): number {
    let sum = this.prior;
    let before: number = KIND.none;
    for (const byte of bytes) {
      const kind = this.#kinds[byte] ?? KIND.none;
      if (byte >= 0x80) sum += this.#likelihoods[byte] ?? 0;
      sum += PAIRS[before * KINDS + kind] ?? 0;
      before = kind;
    }
    return sum;
  }

  /** How many bytes stand for what is not in ASCII. */
  lettersIn(bytes: Buffer): number {
    let count = 0;
    for (const byte of bytes) if (byte >= 0x80) count += 1;
    return count;
  }
}

const QUESTION = 0x3f;
const KINDS = Object.keys(KIND).length;

/** What two neighbours add to a likelihood, by the kinds of both. */
const PAIRS = new Float64Array(KINDS * KINDS);
for (const russian of [KIND.lower, KIND.upper]) {
  for (const other of [KIND.latin, KIND.western]) {
    PAIRS[russian * KINDS + other] = UNLIKELY.mixedWord;
    PAIRS[other * KINDS + russian] = UNLIKELY.mixedWord;
  }
}
PAIRS[KIND.lower * KINDS + KIND.upper] = UNLIKELY.capitalWithin;
PAIRS[KIND.western * KINDS + KIND.western] = UNLIKELY.westernPair;

function kindOf(letter: string): number {
  const lower = letter.toLowerCase();
  if (FREQUENCIES.has(lower)) return lower === letter ? KIND.lower : KIND.upper;
  if (LATIN.test(letter)) return KIND.latin;
  return WESTERN.test(letter) ? KIND.western : KIND.none;
}

function likelihoodOf(letter: string): number {
  const frequency = FREQUENCIES.get(letter.toLowerCase());
  if (frequency !== undefined) return Math.log(frequency / 10_000);
  if (MARKS.test(letter)) return LIKELIHOODS.mark;
  return WESTERN.test(letter) ? LIKELIHOODS.western : LIKELIHOODS.other;
}

/** The encodings of Russian texts. */
export const CYRILLIC_TABLES: readonly LetterTable[] = [
  ...['windows-1251', 'koi8-r', 'ibm866', 'iso-8859-5'].map((name) => new LetterTable(name)),
  // Its small letters but one stand where Windows has them.
  new LetterTable('x-mac-cyrillic', -6),
];

/** The encoding of texts in the languages of Western Europe. */
export const WESTERN_TABLE = new LetterTable('windows-1252');

/** The table with a name of the Encoding Standard. */
export function tableNamed(name: string): LetterTable | undefined {
  return [...CYRILLIC_TABLES, WESTERN_TABLE].find((table) => table.name === name);
}
