import { hash, randomBytes } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { LRUCache } from 'lru-cache';
import { limitedAddress } from '../../platform/network/client-address.js';

const CREDENTIALS_MAX = 10_000;
/** So that no organization takes the room of the others, by many keys or many spellings of one. */
const CREDENTIALS_OF_ONE_MAX = 100;

/**
 * Whose share a request takes, before anybody is asked about its credential: the organization that
 * this credential stood for when it was last looked at, else the address. It decides nothing but
 * who is refused first, so that it may be out of date. Credentials are known by keyed hashes alone.
 */
export class Callers {
  private readonly hashKey = randomBytes(32).toString('hex');
  private readonly byTenant = new Map<string, Set<string>>();
  /** Counted as sizes, since with `max` all of the room would be taken at the start. */
  private readonly tenants = new LRUCache<string, string>({
    maxSize: CREDENTIALS_MAX,
    sizeCalculation: () => 1,
    dispose: (tenantId, known) => this.forget(tenantId, known),
  });

  /** The name of a caller; `address` is asked only for one that is not known. */
  nameOf(headers: IncomingHttpHeaders, address: () => string): string {
    const known = this.hashOf(headers);
    const tenantId = known === undefined ? undefined : this.tenants.get(known);
    return tenantId ?? limitedAddress(address());
  }

  /** The credential of a request turned out to be one of an organization. */
  learn(headers: IncomingHttpHeaders, tenantId: string): void {
    const known = this.hashOf(headers);
    if (known === undefined || this.tenants.has(known)) return;
    const own = this.byTenant.get(tenantId) ?? new Set();
    const [first] = own;
    if (first !== undefined && own.size >= CREDENTIALS_OF_ONE_MAX) this.tenants.delete(first);
    this.byTenant.set(tenantId, own.add(known));
    this.tenants.set(known, tenantId);
  }

  private forget(tenantId: string, known: string): void {
    const own = this.byTenant.get(tenantId);
    own?.delete(known);
    if (own?.size === 0) this.byTenant.delete(tenantId);
  }

  private hashOf(headers: IncomingHttpHeaders): string | undefined {
    const shown = shownIn(headers);
    if (shown === undefined) return undefined;
    // Each request is looked up by it: a quarter of the time of an HMAC, and nobody sees it.
    return hash('sha256', this.hashKey + shown, 'base64');
  }
}

/** The credential without its scheme, however many spaces stand around it. */
function shownIn(headers: IncomingHttpHeaders): string | undefined {
  const shown = headers.authorization ?? headers['x-api-key'] ?? headers['api-key'];
  const text = Array.isArray(shown) ? shown.join(',') : shown;
  return text?.trim().split(' ').at(-1);
}
