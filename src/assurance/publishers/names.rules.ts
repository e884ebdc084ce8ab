import { editDistance } from '../../kernel/near-names.js';

/** Letters of other alphabets that look like Latin ones, and digits that pass for letters. */
const TWINS: Readonly<Record<string, string>> = {
  ...pairs('авсеёнкморгтухіјѕԁһӏьԛԝ', 'abceehkmoprtyxijsdhlbqw'),
  ...pairs('αβγεηικνορτυχω', 'abyenikvoptuxw'),
  ...pairs('0134568', 'olesabb'),
  р: 'p',
  г: 'r',
  п: 'n',
  и: 'u',
  й: 'u',
  з: 'e',
  ı: 'i',
  ł: 'l',
  ø: 'o',
  đ: 'd',
  ß: 'b',
};

function pairs(from: string, to: string): Record<string, string> {
  return Object.fromEntries([...from].map((letter, at) => [letter, to[at] ?? letter]));
}

/** How Cyrillic letters are written in Latin ones, in the plainest of the ways. */
const SOUNDS: Readonly<Record<string, string>> = {
  ...pairs('абвгдезиклмнопрстуфыэі', 'abvgdeziklmnoprstufiei'),
  ж: 'zh',
  х: 'h',
  ц: 'ts',
  ч: 'ch',
  ш: 'sh',
  щ: 'sh',
  ю: 'iu',
  я: 'ia',
  ъ: '',
  ь: '',
};

/** The same sound as other people write it; the first row that fits is taken in turn. */
const SPELLINGS: readonly (readonly [RegExp, string])[] = [
  [/shch|sch/g, 'sh'],
  [/kh/g, 'h'],
  [/ph/g, 'f'],
  [/ck|q/g, 'k'],
  [/x/g, 'ks'],
  [/w/g, 'v'],
  [/[yji]+([aeou])/g, '$1'],
  [/[yj]/g, 'i'],
  [/(.)\1+/g, '$1'],
];

/** Forms of organizations, which say nothing of whose name it is. */
const FORMS: ReadonlySet<string> = new Set(
  [
    ...['ооо', 'оао', 'пао', 'ао', 'зао', 'нао', 'ип', 'нко', 'ано', 'гуп', 'муп', 'фгуп'],
    ...['тоо', 'чп', 'спа', 'пк', 'нпо', 'нпп', 'гк', 'ooo', 'oao', 'pao', 'zao', 'ao', 'ip'],
    ...['llc', 'ltd', 'limited', 'inc', 'incorporated', 'corp', 'corporation', 'co', 'company'],
    ...['gmbh', 'ag', 'sa', 'sas', 'bv', 'nv', 'plc', 'llp', 'lp', 'oy', 'ab', 'jsc', 'pjsc'],
    ...['ojsc', 'cjsc', 'компания', 'общество', 'акционерное', 'публичное', 'закрытое'],
    ...['открытое', 'непубличное', 'ограниченной', 'ответственностью', 'индивидуальный'],
    ...['предприниматель', 'с'],
  ].map(looks),
);

function folded(text: string): string {
  return text.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase();
}

function looks(word: string): string {
  const twins = [...folded(word)].map((letter) => TWINS[letter] ?? letter);
  // A capital i of one alphabet is the small l of the other.
  return twins.join('').replaceAll('i', 'l');
}

/** The words of a name without marks, quotes and forms; all of them where nothing else is left. */
function wordsOf(name: string): readonly string[] {
  const bare = folded(name).replace(/[^\p{L}\p{N}]+/gu, (marks) => (/\s/.test(marks) ? ' ' : ''));
  const spaced = folded(name).replace(/[^\p{L}\p{N}]+/gu, ' ');
  const all = spaced.split(' ').filter(Boolean);
  const own = all.filter((word) => !FORMS.has(looks(word)));
  return own.length > 0 ? own : bare.split(' ').filter(Boolean);
}

/**
 * What a name has in common with all that look like it: Latin for Cyrillic and Greek twins, digits
 * for letters, without case, marks, quotes, spaces and the form of the organization.
 */
export function lookKey(name: string): string {
  return wordsOf(name).map(looks).join('').replaceAll('rn', 'm').replaceAll('vv', 'w');
}

/** What a name has in common with all that sound like it in the other alphabet. */
function soundKey(name: string): string {
  const letters = wordsOf(name).flatMap((word) => [...oneAlphabet(word)]);
  const latin = letters.map((letter) => SOUNDS[letter] ?? letter).join('');
  return SPELLINGS.reduce((text, [from, to]) => text.replace(from, to), latin);
}

const BACK = pairs('abcehkmoptyx', 'авсенкмортух');

/** A word that mixes both alphabets is read as Cyrillic: that is what its reader takes it for. */
function oneAlphabet(word: string): string {
  const isMixed = /\p{Script=Cyrillic}/u.test(word) && /\p{Script=Latin}/u.test(word);
  return isMixed ? [...word].map((letter) => BACK[letter] ?? letter).join('') : word;
}

/** How alike two names are. */
export type Likeness = 'same' | 'near' | 'other';

/** Names shorter than this have too many neighbours to be near one. */
const NEAR_LETTERS_MIN = 5;
const TWO_WRONG_LETTERS_MIN = 10;

/**
 * How alike two names are to a reader: the same by look or by sound; near with one wrong letter,
 * from ten letters on two, or where one is a part of the other.
 */
export function likeness(one: string, other: string): Likeness {
  const all = [
    [lookKey(one), lookKey(other)],
    [soundKey(one), soundKey(other)],
  ] as const;
  if (all.some(([a, b]) => a === b && a !== '')) return 'same';
  if (isWordOf(one, other) || isWordOf(other, one)) return 'near';
  return all.some(([a, b]) => isNear(a, b)) ? 'near' : 'other';
}

/** Whether a name is a whole word of another one: `Ozon` of `Ozon Official`. */
function isWordOf(one: string, other: string): boolean {
  const key = lookKey(one);
  return key.length > 1 && wordsOf(other).some((word) => looks(word) === key);
}

/** What a name is told where its letters are others. */
export const LETTERS_RULE = 'must be in Latin, Cyrillic or Greek letters';

/** Whether the letters of a name are those that look-alikes and sounds are known of. */
export function hasKnownLetters(name: string): boolean {
  return /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{M}\p{N}\p{P}\p{S}\p{Z}]*$/u.test(
    name,
  );
}

function isNear(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < NEAR_LETTERS_MIN) return false;
  if (a.includes(b) || b.includes(a)) return true;
  const wrongMax = shorter < TWO_WRONG_LETTERS_MIN ? 1 : 2;
  return Math.abs(a.length - b.length) <= wrongMax && editDistance(a, b) <= wrongMax;
}

/** A name that the trust root stands for, or that its owner alone has stated. */
export interface GuardedName {
  readonly tenantId: string;
  readonly name: string;
  /** An operator has decided about it, or it is the name of a proved domain. */
  readonly isProved: boolean;
}

/** What becomes of a name beside the guarded ones of other organizations. */
export type NameVerdict = 'free' | 'queue' | 'refused';

/**
 * Whether an organization may call itself so. What is the same as a proved name of another one is
 * refused; what is near to one, or like a name that its owner has only stated, goes to an operator.
 * A name that an operator has approved for the organization itself is free.
 */
export function nameVerdict(
  name: string,
  who: { readonly tenantId: string; readonly approvedNames: readonly string[] },
  guarded: readonly GuardedName[],
): NameVerdict {
  if (who.approvedNames.some((own) => likeness(own, name) === 'same')) return 'free';
  const others = guarded.filter(({ tenantId }) => tenantId !== who.tenantId);
  const alike = others.map((each) => ({ ...each, how: likeness(each.name, name) }));
  if (alike.some(({ how, isProved }) => how === 'same' && isProved)) return 'refused';
  return alike.some(({ how }) => how !== 'other') ? 'queue' : 'free';
}
