import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** An address with the number of its bits that an address of the range shares. */
export type AddressRange = readonly [ipaddr.IPv4 | ipaddr.IPv6, number];

/** What stands in front of an address of version 4 that is written as one of version 6. */
const MAPPED_BITS = 96;

/** An old form of version 6 that carries one of version 4 and is not mapped (RFC 4291, 2.5.5.1). */
const COMPATIBLE = /^::(?=\d+\.\d+\.\d+\.\d+$)/;

/** The address that a text says; the library takes `::192.0.2.1` for 192.0.2.1, which it is not. */
function addressOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 {
  return ipaddr.parse(text.replace(COMPATIBLE, '0::'));
}

/**
 * The range that a word names: an address, or a CIDR range. It is of the version that its addresses
 * are compared in: a mapped one is one of version 4.
 * @returns undefined for a word that names something else
 */
export function addressRange(word: string): AddressRange | undefined {
  const [address = ''] = word.split('/', 1);
  if (isIP(address) === 0 || address.includes('%')) return undefined;
  const parsed = addressOf(address);
  const bitsMax = parsed.kind() === 'ipv4' ? 32 : 128;
  const stated = word.slice(address.length + 1);
  if (word.includes('/') && !/^\d{1,3}$/.test(stated)) return undefined;
  const bits = word.includes('/') ? Number(stated) : bitsMax;
  if (bits > bitsMax) return undefined;
  if (!('isIPv4MappedAddress' in parsed && parsed.isIPv4MappedAddress())) return [parsed, bits];
  return bits < MAPPED_BITS ? undefined : [parsed.toIPv4Address(), bits - MAPPED_BITS];
}

/** A range as it is written when nothing stands behind its bits; a single address has no bits. */
export function rangeText([address, bits]: AddressRange): string {
  const isSingle = bits === address.toByteArray().length * 8;
  if (isSingle) return address.toString();
  const kind = address.kind() === 'ipv4' ? ipaddr.IPv4 : ipaddr.IPv6;
  return `${kind.networkAddressFromCIDR(`${address.toString()}/${bits}`).toString()}/${bits}`;
}

/** Whether an address lies in one of some ranges; what is no address lies in none. */
export function isWithin(address: string, ranges: readonly AddressRange[]): boolean {
  const [bare = ''] = address.split('%', 1);
  if (isIP(bare) === 0) return false;
  const written = addressOf(bare);
  const isMapped = 'isIPv4MappedAddress' in written && written.isIPv4MappedAddress();
  const parsed = isMapped ? written.toIPv4Address() : written;
  return ranges.some(
    ([range, bits]) => range.kind() === parsed.kind() && parsed.match(range, bits),
  );
}
