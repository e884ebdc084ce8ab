import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { limitedAddress } from '../../platform/network/client-address.js';

const CALLERS_MAX = 10_000;

/**
 * Whose share a request takes, before anybody is asked about its credential: the organization that
 * this credential stood for when it was last looked at, else the address. It decides nothing but
 * who is refused first, so that it may be out of date.
 */
export class Callers {
  /** Counted as sizes, since with `max` all of the room would be taken at the start. */
  private readonly tenants = new LRUCache<string, string>({
    maxSize: CALLERS_MAX,
    sizeCalculation: () => 1,
  });

  /** The name of a caller; `address` is asked only for one that is not known. */
  nameOf(headers: IncomingHttpHeaders, address: () => string): string {
    const shown = shownIn(headers);
    const tenantId = shown === undefined ? undefined : this.tenants.get(shown);
    return tenantId ?? limitedAddress(address());
  }

  /** The credential of a request turned out to be one of an organization. */
  learn(headers: IncomingHttpHeaders, tenantId: string): void {
    const shown = shownIn(headers);
    if (shown !== undefined && !this.tenants.has(shown)) this.tenants.set(shown, tenantId);
  }
}

function shownIn(headers: IncomingHttpHeaders): string | undefined {
  const shown = headers.authorization ?? headers['x-api-key'] ?? headers['api-key'];
  return Array.isArray(shown) ? shown.join(',') : shown;
}
