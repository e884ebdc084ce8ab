import { domainToASCII, domainToUnicode } from 'node:url';
import { getDomain } from 'tldts';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { isAmong, isPublicHost } from '../../platform/network/public-address.js';
import { DOMAIN_LENGTH_MAX } from './vocabulary.js';

/** Names under which anybody gets a name, and which the public suffix list does not have. */
const OTHER_SUFFIXES: ReadonlySet<string> = new Set([
  ...['narod.ru', 'ucoz.ru', 'tilda.ws', 'nichost.ru'],
  ...['xn--c1avg.xn--p1ai', 'xn--j1aef.xn--p1ai'],
]);

/** Cyrillic letters that a reader takes for Latin ones. */
const LATIN_TWINS = /^[авсеёгіјѕԁһӏорԛԝухькмнт0-9-]+$/u;

const LABEL = /^(?!-)[a-z0-9-]{1,63}(?<!-)$/;

/** Letters, digits, dots and hyphens: what is more would be dropped as a part of an address. */
const WRITTEN = /^[\p{L}\p{M}\p{N}.-]+$/u;

/**
 * A domain in the form in which it is asked for: lower-case ASCII without the dot at the end; empty
 * for what is none.
 */
export function plainDomain(stated: string): string {
  const bare = stated.trim().toLowerCase().replace(/\.$/, '');
  return WRITTEN.test(bare) ? domainToASCII(bare) : '';
}

/**
 * What is wrong with a domain: a proof takes one of the public internet that belongs to somebody
 * and that no reader takes for another one.
 * @param hostsAllowed names of the operator's own network
 */
export function domainFaults(
  path: string,
  stated: string | null,
  hostsAllowed: ReadonlySet<string>,
): Fault[] {
  if (stated === null) return [];
  const domain = plainDomain(stated);
  const labels = domain.split('.');
  const isName = labels.length > 1 && labels.every((label) => LABEL.test(label));
  if (!isName || domain.length > DOMAIN_LENGTH_MAX || /^\d+$/.test(labels.at(-1) ?? '')) {
    return [fault(path, 'invalid', 'must be a domain, such as example.ru')];
  }
  if (!isPublicHost(domain) || isAmong(domain, hostsAllowed)) {
    return [fault(path, 'invalid', 'must be a domain of the public internet')];
  }
  if (isSuffix(domain)) {
    return [fault(path, 'invalid', 'must be a domain of one owner, not a public suffix')];
  }
  const isPlain = labels.every((label) => isReadable(label, labels.at(-1) ?? ''));
  return isPlain ? [] : [fault(path, 'invalid', 'must not look like another domain')];
}

/** By the public suffix list, with the suffixes of platforms. */
const SUFFIX_OPTIONS = { allowPrivateDomains: true, validateHostname: false } as const;

function isSuffix(domain: string): boolean {
  return OTHER_SUFFIXES.has(domain) || getDomain(domain, SUFFIX_OPTIONS) === null;
}

/** ASCII, or Cyrillic alone; and under a Latin ending not of Latin look-alikes alone. */
function isReadable(label: string, ending: string): boolean {
  if (!label.startsWith('xn--')) return true;
  const shown = domainToUnicode(label);
  if (!/^[\p{Script=Cyrillic}0-9-]+$/u.test(shown)) return false;
  return ending.startsWith('xn--') || !LATIN_TWINS.test(shown);
}

/**
 * The part of a domain that names its owner: `romashka` of `romashka.ru`. Whoever controls
 * `shop.romashka.ru` may be somebody else, so a domain below it names itself, whole.
 */
export function ownLabel(domain: string): string {
  const owned = getDomain(domain, SUFFIX_OPTIONS) ?? domain;
  const labels = domain.split('.');
  const ownedLabels = owned.split('.').length + (OTHER_SUFFIXES.has(owned) ? 1 : 0);
  return domainToUnicode(labels.length === ownedLabels ? (labels[0] ?? domain) : domain);
}
