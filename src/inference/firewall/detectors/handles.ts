import type { Confidence } from '../../../kernel/firewall/vocabulary.js';
import type { Finding } from '../finding.js';
import { withLookAlikes } from '../look-alikes.js';
import { WORDS } from '../words.js';

const { services, contacts, fillers, no_names, pages } = WORDS.messengers;

/** Addresses of people and channels, without those of a service's own pages. */
const ADDRESS =
  '(?:t\\.me|telegram\\.(?:me|dog)|vk\\.(?:com|me)|instagram\\.com)\\/' +
  `(?!(?:${pages.join('|')})(?!\\w|\\.\\w))(?:@?[A-Za-z][\\w.]{2,31}|\\+[\\w-]{10,24})`;
/** A name of Skype as the client shows it. */
const SKYPE = 'live:(?:\\.cid\\.)?[a-z][\\w.-]{2,31}';
const SERVICES = services.map(withLookAlikes).join('|');
const CONTACTS = contacts.map(withLookAlikes).join('|');

const LOCATOR = new RegExp(
  `(?<address>${ADDRESS})|(?<skype>${SKYPE})|(?<service>${SERVICES})(?![А-Яа-яЁёA-Za-z_])`,
  'gi',
);
/** What may stand before the name of a host. */
const BEFORE_HOST = /(?<=(?<![\w@/.-])((?:https?:\/\/)?(?:www\.|m\.)?))/iy;
const INSIDE_A_WORD = /[А-Яа-яЁёA-Za-z_@/.-]/;

/** What stands between the word and the name. */
const FILLERS = `(?:[\\s-](?:${fillers.join('|')})(?![А-Яа-яЁёA-Za-z])){0,3}["')»]{0,2}`;
const BEHIND = new RegExp(
  `${FILLERS}(?<gap>\\s{0,3}[:=|—–-]{1,2}\\s{0,3}["']?|\\s{1,3}|\\s?[(]|,\\s|\\s{1,2}[.]\\s{1,2})` +
    '(?<name>@?[A-Za-z][\\w.]{2,31})(?![A-Za-z0-9@/(]|[.-]\\w)',
  'iy',
);
const MENTION = new RegExp(
  `(?<=(?<![А-Яа-яЁёA-Za-z_@/.-])(?:${CONTACTS})${FILLERS}(?:\\s{0,3}[:=|,.—–-])?\\s{0,3})` +
    '@[A-Za-z][\\w.]{2,31}(?![A-Za-z0-9@/(]|[.-]\\w)',
  'iy',
);
const NO_NAME = new RegExp(`^(?:${no_names.join('|')})$`, 'i');
const RUSSIAN = /[А-Яа-яЁё]/;

/**
 * A name with `@` is one; a plain word is one only behind a colon or the like, with a digit or a
 * line in it, or behind a Russian word, and never where it is a word about the service.
 */
function confidenceOf(word: string, gap: string, name: string): Confidence | undefined {
  if (name.startsWith('@')) return 'confirmed';
  if (NO_NAME.test(name)) return undefined;
  if (/[\d_]/.test(name) && !/^v?\d/.test(name)) return 'confirmed';
  if (/[:=|—–-]/.test(gap) || RUSSIAN.test(word)) return 'suspected';
  return undefined;
}

function named(text: string, word: string, end: number): Finding | undefined {
  BEHIND.lastIndex = end;
  const match = BEHIND.exec(text);
  const { gap = '', name } = match?.groups ?? {};
  if (!match || !name) return undefined;
  const value = name.replace(/\.+$/, '');
  const confidence = confidenceOf(word, gap, value);
  const start = match.index + match[0].length - name.length;
  return confidence && { class: 'messenger_handle', start, end: start + value.length, confidence };
}

/** `vk.com/id123` is the page of a person; other pages may be those of a company. */
function addressFinding(start: number, address: string): Finding {
  const value = address.replace(/\.+$/, '');
  const confidence = /\/id\d+$/.test(value) ? 'confirmed' : 'suspected';
  return { class: 'messenger_handle', start, end: start + value.length, confidence };
}

/**
 * Names and addresses in messengers and social networks. A name is known by the word before it, an
 * address by its form; a bare `@name` is as likely a decorator or a package.
 */
export function detectHandles(text: string): Finding[] {
  const found: Finding[] = [];
  for (const match of text.matchAll(LOCATOR)) {
    const { address, skype, service } = match.groups ?? {};
    const end = match.index + match[0].length;
    if (address !== undefined) {
      BEFORE_HOST.lastIndex = match.index;
      const before = BEFORE_HOST.exec(text)?.[1];
      if (before !== undefined)
        found.push(addressFinding(match.index - before.length, before + address));
    } else if (INSIDE_A_WORD.test(text.charAt(match.index - 1))) continue;
    else if (skype !== undefined) {
      found.push({ class: 'messenger_handle', start: match.index, end, confidence: 'suspected' });
    } else if (service !== undefined) {
      const name = named(text, service, end);
      if (name) found.push(name);
    }
  }
  return found;
}

/** Names with `@` behind words such as «напишите мне», which name no service. */
export function detectMentions(text: string): Finding[] {
  const found: Finding[] = [];
  for (let at = text.indexOf('@'); at >= 0; at = text.indexOf('@', at + 1)) {
    MENTION.lastIndex = at;
    const name = MENTION.exec(text)?.[0].replace(/\.+$/, '');
    if (name === undefined) continue;
    const end = at + name.length;
    found.push({ class: 'messenger_handle', start: at, end, confidence: 'suspected' });
  }
  return found;
}
