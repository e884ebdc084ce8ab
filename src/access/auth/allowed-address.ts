import { GatewayError } from '../../kernel/errors/fail.js';
import { isWithin } from '../../platform/network/address-ranges.js';
import type { Identified } from './credentials.js';

/** The caller of a request from an address; nobody, with the reason, where its keys refuse that. */
export function fromAddress(identified: Identified, address: string): Identified {
  const bounds = identified.who?.bounds;
  if (!bounds) return identified;
  const refusing = bounds.find(({ addresses }) => addresses && !isWithin(address, addresses));
  if (!refusing) return identified;
  const values = { key: refusing.name, address: address || 'an unknown address' };
  return { whoFailure: new GatewayError('key_address_not_allowed', { values }) };
}
