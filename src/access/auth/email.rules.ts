import { domainToASCII, domainToUnicode } from 'node:url';
import type { Fault } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';

/** The longest that SMTP carries, in octets (RFC 5321, 4.5.3.1; RFC 6531). */
const OCTETS_MAX = { local: 64, domain: 253, whole: 254 } as const;

/** Words of letters of any script, digits and these signs, divided by dots (RFC 6531, 3.3). */
const LOCAL = /^[\p{L}\p{M}\p{N}_'+-]+(\.[\p{L}\p{M}\p{N}_'+-]+)*$/u;

/** What a domain is written with, before it is read: its dots may be those of other scripts. */
const WRITTEN_DOMAIN = /^[\p{L}\p{M}\p{N}.。．｡-]+$/u;

/** Labels of a domain name on the wire; the last one is a name or an encoded one, no figure. */
const WIRE_DOMAIN =
  /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+([a-z]{2,63}|xn--[a-z0-9-]{0,57}[a-z0-9])$/;

/** A label of a written domain that begins or ends with a hyphen, which its wire form hides. */
const HYPHEN_AT_AN_END = /(^|\.)-|-(\.|$)/;

/** Domains that are shown as they are written; any other of another script might pass for one. */
const WHOLLY_CYRILLIC = /^[\p{Script=Cyrillic}\d.-]+$/u;

/** Scripts with letters that look alike. */
const LIKE_SCRIPTS = [/\p{Script=Latin}/u, /\p{Script=Cyrillic}/u, /\p{Script=Greek}/u];

/**
 * The form in which e-mails are stored, compared and shown: in lower case, composed, and of the
 * domain one spelling, whether it came in punycode or as it is written (WHATWG URL, UTS 46).
 */
export function normalEmail(email: string): string {
  const { local, domain } = partsOf(email);
  if (domain === '') return local;
  const written = domainToUnicode(domain);
  return `${local}@${WHOLLY_CYRILLIC.test(written) ? written : domain}`;
}

/** Every fault of an e-mail. */
export function emailFaults(email: string): Fault[] {
  const { local, domain } = partsOf(email);
  const octets = { local: Buffer.byteLength(local), domain: domain.length };
  const isShort =
    octets.local <= OCTETS_MAX.local &&
    octets.domain <= OCTETS_MAX.domain &&
    octets.local + 1 + octets.domain <= OCTETS_MAX.whole;
  const isWhole =
    LOCAL.test(local) &&
    WIRE_DOMAIN.test(domain) &&
    !HYPHEN_AT_AN_END.test(domainToUnicode(domain));
  const isPlain = local === local.normalize('NFKC') && !hasLookalikes(local, domain);
  return fits('email', isShort && isWhole && isPlain, 'must be an e-mail address');
}

/**
 * The part before the last `@`, and the domain as it goes over the wire; the domain is empty where
 * the text has none that can be one, and `local` is the whole text then.
 */
function partsOf(email: string): { readonly local: string; readonly domain: string } {
  const text = email.trim().toLowerCase().normalize('NFC');
  const at = text.lastIndexOf('@');
  const written = text.slice(at + 1);
  const domain = at > 0 && WRITTEN_DOMAIN.test(written) ? domainToASCII(written) : '';
  return domain === '' ? { local: text, domain } : { local: text.slice(0, at), domain };
}

/** True where one word mixes scripts, as an address does that wants to be taken for another. */
function hasLookalikes(local: string, domain: string): boolean {
  const words = `${local}.${domainToUnicode(domain)}`.split(/[^\p{L}\p{M}]+/u);
  return words.some((word) => LIKE_SCRIPTS.filter((script) => script.test(word)).length > 1);
}
