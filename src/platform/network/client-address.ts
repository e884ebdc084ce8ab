import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';
import { type AddressRange, addressRange, isWithin } from './address-ranges.js';

/**
 * Which peers may say for whom they ask: those of some ranges, or as many as stand in front of
 * every request.
 */
export type TrustedProxies =
  | { readonly ranges: readonly AddressRange[] }
  | { readonly hops: number };

/** A chain of more proxies than this is none that anybody runs. */
const HOPS_MAX = 16;

/** No peer may: the client is whoever opened the connection. */
export const NO_PROXIES: TrustedProxies = { hops: 0 };

/**
 * The proxies that a list names: addresses and CIDR ranges separated by commas or spaces, or the
 * number of proxies in front of the gateway.
 * @returns undefined for a list that names something else
 */
export function trustedProxies(list: string): TrustedProxies | undefined {
  const words = list.split(/[\s,]+/).filter(Boolean);
  const [first] = words;
  if (first === undefined) return NO_PROXIES;
  if (words.length === 1 && /^\d+$/.test(first)) {
    return Number(first) <= HOPS_MAX ? { hops: Number(first) } : undefined;
  }
  const ranges = words.map(addressRange);
  const known = ranges.filter((range) => range !== undefined);
  return known.length === ranges.length ? { ranges: known } : undefined;
}

/**
 * The address of a client: of the peer, and behind peers that are trusted what they have written
 * into `X-Forwarded-For`. The chain is read from its end, where the nearest proxy has written, up
 * to the first address that is not trusted: all before it could be written by the client itself.
 */
export function clientAddress(
  peer: string,
  forwardedFor: string | undefined,
  proxies: TrustedProxies,
): string {
  let client = unmapped(peer);
  if (forwardedFor === undefined || proxies === NO_PROXIES) return client;
  const chain = forwardedFor.split(',');
  for (let hop = 0; isTrusted(client, hop, proxies); hop += 1) {
    const address = plain(chain.pop()?.trim() ?? '');
    // A proxy that does not know its client says so by a word, and leaves nobody else to ask.
    if (address === undefined) break;
    client = address;
  }
  return client;
}

function isTrusted(address: string, hop: number, proxies: TrustedProxies): boolean {
  if ('hops' in proxies) return hop < proxies.hops;
  return hop < HOPS_MAX && isWithin(address, proxies.ranges);
}

const MAPPED = /^::ffff:/i;
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/;

/** An address without brackets, port and mapping; undefined for what is none. */
function plain(text: string): string | undefined {
  const [, version6, version4] = WITH_PORT.exec(text) ?? [];
  const address = version6 ?? version4 ?? text;
  if (isIP(address) === 0) return undefined;
  return unmapped(address);
}

function unmapped(address: string): string {
  const isMapped = MAPPED.test(address) && isIP(address) === 6;
  return isMapped ? ipaddr.process(address).toString() : address;
}

/**
 * What a client is limited by: an address of IPv4, or the network of 64 bits of one of IPv6, since
 * whoever has one of its addresses has all of them.
 */
export function limitedAddress(address: string): string {
  const [bare = ''] = address.split('%', 1);
  const known = plain(bare);
  if (known === undefined || isIP(known) === 4) return known ?? bare;
  const groups = ipaddr.IPv6.parse(known).parts.slice(0, 4);
  return `${groups.map((group) => group.toString(16)).join(':')}::/64`;
}
