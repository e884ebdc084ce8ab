/** A text that is made so that its scan takes as long as it can. */
export interface TextBomb {
  readonly name: string;
  readonly messages: readonly { readonly role: 'user'; readonly content: string }[];
}

let state = 1;

/** A digit that is the same in each run. */
function digit(): number {
  state = (state * 16_807) % 2_147_483_647;
  return state % 10;
}

function digits(count: number): string {
  return Array.from({ length: count }, digit).join('');
}

function filled(characters: number, row: () => string): string {
  const rows = Array.from({ length: 256 }, row).join('');
  return rows.repeat(Math.ceil(characters / rows.length)).slice(0, characters);
}

const SIGNS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
const LETTER_BYTES = 2;

const ROWS: Readonly<Record<string, () => string>> = {
  'numbers of cards': () => `4${digits(3)} ${digits(4)} ${digits(4)} ${digits(4)} `,
  'lines of a table': () => `${digits(4)};${digits(6)};Москва;${digits(4)},50;2026-01-15\n`,
  plates: () => `авто А${digits(3)}ВС77 `,
  'addresses of e-mail': () => `user${digits(3)}@example${digits(2)}.ru `,
  'words of both alphabets': () => `пaспoрт ${digits(4)} ${digits(6)} кaрта ${digits(16)} `,
  'digits without a space': () => digits(64),
  'what looks like base64': () => SIGNS.charAt(digit() * 7),
  'digits that are spaced': () => `${digit()} `,
  prose: () => `Договор с Иваном Петровичем Сидоровым, ул. Ленина, д. ${digits(1)}, кв. 12. `,
  passwords: () => `пароль: Qwe${digits(3)}!rt `,
  'escapes in escapes': () => `\\\\\\u00${digits(2)}4111 1111 `,
};

/** One message with as many bytes of each kind of text. */
export function longTexts(bytes: number): readonly TextBomb[] {
  return Object.entries(ROWS).map(([name, row]) => {
    const isWide = /[а-я]/i.test(row());
    const content = filled(isWide ? Math.floor(bytes / LETTER_BYTES) : bytes, row);
    return { name, messages: [{ role: 'user', content }] };
  });
}

/** Thousands of short messages, each of which may go on in the next one. */
export function shortMessages(count: number): readonly TextBomb[] {
  return Object.entries(ROWS).map(([name, row]) => ({
    name: `messages of ${name}`,
    messages: Array.from({ length: count }, () => ({ role: 'user', content: row().repeat(2) })),
  }));
}
