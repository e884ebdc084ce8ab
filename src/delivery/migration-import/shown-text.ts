import {
  DATED,
  isHarmlessName,
  isHarmlessNumber,
  isKnownModel,
  isKnownPhrase,
  shownName,
  shownUrl,
} from './harmless.js';
import { isSecretName } from './secret-shapes.js';
import { REDACTED } from './vocabulary.js';

/** Where a text stands, as far as that bears on what of it may be shown. */
export interface TextPlace {
  /** The name under which it stands; empty without one. */
  readonly name: string;
  /** True under the name of a secret: then only references and flags are shown. */
  readonly isSecret: boolean;
}

const NOWHERE: TextPlace = { name: '', isSecret: false };
const FLAG = /^(?:true|false|yes|no|on|off|null|none|undefined|~)$/i;

/** References to a variable: what stands before the name, the name, and what stands behind it. */
const REFERENCES: readonly RegExp[] = [
  /^(\$)([A-Za-z_]\w{0,99})()$/,
  /^(\$\{)([A-Za-z_]\w{0,99})((?::?[-?+=][^{}]*)?\})$/,
  /^(os\.environ\/)([A-Za-z_]\w{0,99})()$/,
  /^(=?\{\{\s*\$(?:env|vars)\.)([A-Za-z_]\w{0,99})(\s*\}\})$/,
  /^(\{\{?\s*)([A-Za-z_]\w{0,99})(\s*\}?\})$/,
];
const FALLBACK = /^(:?[-?+=])([^{}]*)\}$/;
const SCHEME = /^(=?(?:bearer|basic|api-key|token|oauth))(\s+)(\S.*)$/is;
/** `NAME=value` and `Name: value`. */
const PAIR = /^([A-Za-z_][\w.-]{0,99})(=|:\s{0,3}(?!\/\/))(\S.*)$/s;
/** Parts of a text that are read inside each other, such as a header with a scheme. */
const LEVELS_MAX = 4;

/**
 * A literal with only those parts that are proved harmless: references to variables, addresses of
 * known providers, names of known models, parameters in range and words that everybody uses.
 * Whatever else it says is replaced, and prose and prompts are, since a secret may be a sentence.
 */
export function shownText(text: string, place: TextPlace = NOWHERE, level = 0): string {
  const trimmed = text.trim();
  if (trimmed === '') return '';
  if (level > LEVELS_MAX) return REDACTED;
  const known = shownReference(trimmed, place, level);
  if (known !== undefined) return inPlace(text, trimmed, known);
  if (FLAG.test(trimmed)) return text;
  const [, scheme, gap = '', credential = ''] = SCHEME.exec(trimmed) ?? [];
  if (scheme !== undefined) {
    const secret = { name: place.name, isSecret: true };
    return inPlace(text, trimmed, scheme + gap + shownText(credential, secret, level + 1));
  }
  const pair = shownParts(trimmed, place, level);
  if (pair !== undefined) return inPlace(text, trimmed, pair);
  if (place.isSecret) return REDACTED;
  return inPlace(text, trimmed, shownPlain(trimmed, place));
}

/** A few blanks around a text are kept. */
function inPlace(text: string, trimmed: string, shown: string): string {
  const blanks = text.replace(trimmed, '');
  return /^ {0,4}$/.test(blanks) ? text.replace(trimmed, () => shown) : shown;
}

function shownReference(text: string, place: TextPlace, level: number): string | undefined {
  for (const form of REFERENCES) {
    const [whole, before = '', name = '', after = ''] = form.exec(text) ?? [];
    if (whole === undefined) continue;
    const [, sign, other = ''] = FALLBACK.exec(after) ?? [];
    const tail = sign === undefined ? after : `${sign}${shownText(other, place, level + 1)}}`;
    return before + shownName(name) + tail;
  }
  return undefined;
}

function shownPlain(text: string, place: TextPlace): string {
  if (isHarmlessNumber(text, place.name) || DATED.test(text)) return text;
  if (isKnownPhrase(text) || isKnownModel(text) || isVariable(text)) return text;
  const bare = text.replace(/^=/, '');
  const url = shownUrl(bare);
  if (url !== undefined) return text.slice(0, text.length - bare.length) + url;
  return REDACTED;
}

/** The name of a variable, as it stands in quotes where it is read. */
function isVariable(text: string): boolean {
  return /^[A-Z][A-Z0-9_]*$/.test(text) && isHarmlessName(text);
}

/** A name and its value in one text; undefined for what is none, or may not be told apart. */
function shownParts(text: string, place: TextPlace, level: number): string | undefined {
  const [whole, name = '', sign = '', value = ''] = PAIR.exec(text) ?? [];
  if (whole === undefined || !isHarmlessName(name)) return undefined;
  const isSecret = isSecretName(name);
  // Under the name of a secret, what stands before a colon may be a part of it, as a login is.
  if (place.isSecret && !isSecret) return undefined;
  if (isKnownPhrase(text) && !isSecret) return text;
  return name + sign + shownText(value, { name, isSecret }, level + 1);
}
