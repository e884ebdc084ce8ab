import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** All addresses that the registries have given out for use by hosts of the whole world. */
const GLOBAL_V6 = ipaddr.IPv6.parseCIDR('2000::/3');

/**
 * Addresses of the ranges below that clouds answer by themselves, inside of every machine: the
 * service address of Azure.
 */
const PLATFORM_SERVICES: ReadonlySet<string> = new Set(['168.63.129.16']);

/**
 * True for the address of a host that anybody on the internet could call, and for nothing else.
 * The rule is a list of what is allowed: every special range is refused, and so is every form of
 * version 6 that carries an address of version 4 (mapped, compatible, NAT64, 6to4, Teredo), since
 * the network may deliver it to the address inside. An address with a zone is one of this machine.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0 || address.includes('%')) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || PLATFORM_SERVICES.has(address)) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_V6);
}

/** One spelling for each address, so that an allowed one is recognised in any other. */
export function addressKey(address: string): string {
  return isIP(address) === 0 ? address : ipaddr.process(address).toString();
}

/** Names that only networks inside answer to (RFC 6761, RFC 6762, RFC 8375, ICANN). */
const INSIDE_SUFFIXES = [
  'localhost',
  'localdomain',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
  'onion',
] as const;

/** The host of a URL without the brackets of version 6 and the dot of an absolute name. */
export function hostOf(url: URL): string {
  return url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
}

/** True for a host, or an address in any of its spellings, that the operator allows by name. */
export function isAmong(host: string, hostsAllowed: ReadonlySet<string>): boolean {
  if (hostsAllowed.has(host)) return true;
  if (isIP(host) === 0) return false;
  const key = addressKey(host);
  return [...hostsAllowed].some((allowed) => isIP(allowed) !== 0 && addressKey(allowed) === key);
}

/** True for a name or an address that the public internet answers to. */
export function isPublicHost(host: string): boolean {
  if (isIP(host) !== 0) return isPublicAddress(host);
  const labels = host.split('.');
  if (labels.length < 2 || labels.includes('')) return false;
  return !INSIDE_SUFFIXES.some((suffix) => host === suffix || host.endsWith(`.${suffix}`));
}
