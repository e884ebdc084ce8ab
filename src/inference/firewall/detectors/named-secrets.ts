import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import type { Finding } from '../finding.js';
import { withLookAlikes, withSpaces } from '../look-alikes.js';
import { matchesBeforeDigits } from '../near-digits.js';

/** Names of values that are secret; parts of expressions, in any case. */
const PASSWORDS = [
  'pass?w(?:or|ro)?d',
  'pass(?:phrase)?',
  'pwd',
  'п[ао]рол{1,2}(?:ь|я|ем|ю)',
  'пасс(?:ворд)?(?:а|ом)?',
];
const KEYS = [
  'api[ _-]?key',
  'secret(?:[ _-]?(?:access[ _-]?)?key)?',
  'client[_-]?secret',
  '(?:access|auth|refresh)[ _-]?token',
  'token',
  'bearer',
  'токен(?:а|ом|у)?',
  '(?:api|апи)[ -]ключ(?:а|ом)?',
  'ключ(?:а|ом|у)? (?:доступа|api|апи|шифрования)',
  'секретн(?:ый|ого|ым) ключ(?:а|ом)?',
];
/** «пароль от базы», «password for the router», «токен бота», «пароль мой». */
const OF_WHAT =
  '(?:[ -](?:(?:от|к|ко|для|на|в|of|for|to)(?: (?:the|my|our|моей|моего|нашей))? ' +
  '[A-Za-zА-Яа-яЁё][A-Za-zА-Яа-яЁё-]{1,18}|бота|базы|сервиса|сайта|приложения|аккаунта|' +
  'сервера|почты|роутера|админа|пользователя|доступа|клиента|кабинета|системы|' +
  'новый|мой|наш)' +
  '(?![A-Za-zА-Яа-яЁё])){0,2}';
/** What stands between a name and its value. A sign says more than a space or a comma. */
const FILLERS =
  'is|are|это|вот|такой|такая|теперь|будет|равен|записывай(?:те)?|пишите|запомни(?:те)?';
const FILLER = `(?<![a-zа-яё])(?:${FILLERS})(?![a-zа-яё])`;
const GAP = `["'»)]?(?:\\s{0,3}(?:=>|:=|[:=|,.—–-]|${FILLER})){0,4}\\s{0,3}`;
const SIGN = new RegExp(`[:=|—–-]|${FILLERS}`, 'i');
const VALUE = `["'\`«]?([^\\s"'\`«»<>]{6,256})`;
const alternatives = (names: readonly string[]) => withSpaces(withLookAlikes(names.join('|')));

const NAME = new RegExp(`(?:${alternatives([...PASSWORDS, ...KEYS])})(?![a-zа-яё])`, 'gi');
const BEHIND_NAME = new RegExp(`${OF_WHAT}(?<gap>${GAP})${VALUE}`, 'iy');
/** Short names, which are a part of other words: `bypass`, `компасс`. */
const SHORT_NAME = /^(?:pass|пасс|token)/i;
/** A value has a digit, and its first one stands at most this far behind the name. */
const DIGIT_REACH = 96;
/** «логин/пароль: ivan / Qwe12!rt» */
const PAIRED = new RegExp(
  `(?<=(?:${withLookAlikes('логин|юзер')}|login|user)[ _]{0,2}(?:[/\\\\|,+-]|и|and)[ _]{0,2})`,
  'iy',
);
const BEHIND_PAIR = new RegExp(`${GAP}[^\\s"'/|]{1,64}[ \\t]{0,2}[/|:, ][ \\t]{0,2}${VALUE}`, 'iy');

const NO_VALUE =
  /^(?:\$[A-Za-z_{(]|%[A-Za-z_]+%|\{\{|https?:|[\w-]+:\/\/|process\.|os\.|env\.|\[\[|@[a-z]+$)/i;
/** A call, an index, a member of something: what code has in place of a value. */
const CODE = /^[A-Za-z_$][\w$]*[([{]|^[A-Za-z_$]+(?:\.[A-Za-z_$]+)+(?:[([{.]|$)|=>|\(\)/;
/** Words with a number in them: `gpt-4`, `v2.0`, `sha256`, `oauth2`, a time, a part of a list. */
const NAME_WITH_NUMBER =
  /^(?:v?\d[\d.:%/-]*[a-zа-яё%]{0,3}|[a-zа-яё]+(?:[_-][a-zа-яё]+)*[-_.]?\d{1,3})$/i;

/** How many kinds of characters a value is made of: small and big letters, digits, marks. */
function kindsOf(value: string): number {
  return [/[a-zа-яё]/, /[A-ZА-ЯЁ]/, /\d/, /[^\p{L}\p{N}]/u].filter((kind) => kind.test(value))
    .length;
}

function hasLettersAndDigits(value: string): boolean {
  return /\d/.test(value) && /[A-Za-zА-Яа-яЁё]/.test(value);
}

/** Behind a colon or the like: what is no template and no code is the value. */
function whereSigned(value: string): Confidence | undefined {
  if (NO_VALUE.test(value) || CODE.test(value)) return undefined;
  const kinds = kindsOf(value);
  if (value.length >= 8) return hasLettersAndDigits(value) ? 'suspected' : undefined;
  return kinds >= 3 && hasLettersAndDigits(value) ? 'suspected' : undefined;
}

/** Behind a mere space the next word has to look like a value itself. */
function whereSpaced(value: string): Confidence | undefined {
  if (NO_VALUE.test(value) || CODE.test(value) || !hasLettersAndDigits(value)) return undefined;
  if (NAME_WITH_NUMBER.test(value)) {
    return kindsOf(value) >= 3 && value.length >= 8 ? 'suspected' : undefined;
  }
  return kindsOf(value) >= 3 || value.length >= 20 || /\d\D+\d/.test(value)
    ? 'suspected'
    : undefined;
}

const CLOSERS = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

/** A value without the marks of the sentence behind it; `!` may well be a part of a password. */
function withoutMarks(value: string): string {
  let end = value.length;
  for (; end > 0; end -= 1) {
    const mark = value.charAt(end - 1);
    const opener = CLOSERS.get(mark);
    if (opener === undefined ? !'.,;:|'.includes(mark) : value.slice(0, end).includes(opener))
      break;
  }
  return value.slice(0, end);
}

function finding(match: RegExpExecArray, judge: (value: string) => Confidence | undefined) {
  const written = match.at(-1) ?? '';
  const value = withoutMarks(written);
  const confidence = judge(value);
  const start = match.index + match[0].length - written.length;
  return confidence && ({ class: 'secret', start, end: start + value.length, confidence } as const);
}

function matchAt(pattern: RegExp, text: string, place: number): RegExpExecArray | null {
  pattern.lastIndex = place;
  return pattern.exec(text);
}

/** What a name at [start, end) is the name of. */
function valueBehind(text: string, start: number, end: number): Finding | undefined {
  const match = matchAt(BEHIND_NAME, text, end);
  const gap = match?.groups?.gap ?? '';
  const found = match && gap && finding(match, SIGN.test(gap) ? whereSigned : whereSpaced);
  if (found || !matchAt(PAIRED, text, start)) return found || undefined;
  const pair = matchAt(BEHIND_PAIR, text, end);
  return pair ? finding(pair, whereSigned) : undefined;
}

/** Values that a word calls a password or a key. Only the word says so: they stay suspected. */
export function detectNamedSecrets(text: string): Finding[] {
  return matchesBeforeDigits(text, NAME, DIGIT_REACH).flatMap(({ 0: name, index }) => {
    const isPartOfWord = SHORT_NAME.test(name) && /[a-zа-яё]/i.test(text.charAt(index - 1));
    return isPartOfWord ? [] : (valueBehind(text, index, index + name.length) ?? []);
  });
}
