import type { Pool } from 'pg';
import type { Principal } from '../../graph/ctx.js';
import { hmac } from '../../platform/secrets.js';
import { networkOf } from './risk.rules.js';

/** An address from which a key was used since the last writing. */
interface Sighting {
  readonly tenantId: string;
  readonly keyId: string;
  readonly address: string;
  requests: number;
  readonly firstMs: number;
  lastMs: number;
}

/** So many pairs of key and address wait for writing at most; what comes beyond is left out. */
const WAITING_MAX = 20_000;
/** How long an address is kept that is not seen again, in days. */
const KEPT_DAYS = 90;

const WRITE_SQL = {
  name: 'key_addresses_seen',
  text: `INSERT INTO key_address AS a
           (tenant_id, key_id, address_hash, network, requests, first_seen_at, last_seen_at)
         SELECT w.tenant_id, w.key_id, w.address_hash, w.network, w.requests,
                to_timestamp(w.first_ms / 1000), to_timestamp(w.last_ms / 1000)
         FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::bigint[], $6::float8[],
                     $7::float8[])
           AS w(tenant_id, key_id, address_hash, network, requests, first_ms, last_ms)
         ORDER BY w.key_id, w.address_hash
         ON CONFLICT (key_id, address_hash) DO UPDATE
           SET requests = a.requests + EXCLUDED.requests,
               first_seen_at = LEAST(a.first_seen_at, EXCLUDED.first_seen_at),
               last_seen_at = GREATEST(a.last_seen_at, EXCLUDED.last_seen_at)`,
};
const FORGET_SQL = {
  name: 'key_addresses_forget',
  text: `DELETE FROM key_address
         WHERE last_seen_at < clock_timestamp() - make_interval(days => $1)`,
};

/**
 * From where keys are used. A request costs one look into a map; every few seconds a node writes
 * what it has seen, with the address as a keyed hash. A node that dies forgets those seconds.
 */
export class KeySightings {
  private waiting = new Map<string, Sighting>();

  constructor(
    private readonly pool: Pool,
    private readonly secret: string,
  ) {}

  /** Notes that a key is used from an address. Members and internal requests are not noted. */
  see(who: Principal | undefined, address: string): void {
    if (who?.kind !== 'api_key' || address === '') return;
    const { id: keyId, tenantId } = who;
    const name = `${keyId} ${address}`;
    const nowMs = Date.now();
    const known = this.waiting.get(name);
    if (known) {
      known.requests += 1;
      known.lastMs = nowMs;
    } else if (this.waiting.size < WAITING_MAX) {
      const seen = { tenantId, keyId, address, requests: 1, firstMs: nowMs, lastMs: nowMs };
      this.waiting.set(name, seen);
    }
  }

  /** Writes what was seen. What cannot be written waits for the next time. */
  async write(): Promise<void> {
    if (this.waiting.size === 0) return;
    const batch = [...this.waiting.values()];
    const kept = this.waiting;
    this.waiting = new Map();
    const values = [
      batch.map(({ tenantId }) => tenantId),
      batch.map(({ keyId }) => keyId),
      batch.map(({ address }) => hmac(this.secret, 'client address', address)),
      batch.map(({ address }) => networkOf(address)),
      batch.map(({ requests }) => requests),
      batch.map(({ firstMs }) => firstMs),
      batch.map(({ lastMs }) => lastMs),
    ];
    try {
      await this.pool.query({ ...WRITE_SQL, values });
    } catch (error) {
      for (const [name, sighting] of kept)
        if (!this.waiting.has(name)) this.waiting.set(name, sighting);
      throw error;
    }
  }

  /** Removes addresses that were not seen for long. */
  async forgetOld(): Promise<void> {
    await this.pool.query({ ...FORGET_SQL, values: [KEPT_DAYS] });
  }
}
