import type { Pool } from 'pg';
import type { Principal } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { hmac } from '../../platform/secrets.js';
import { networkOf } from './risk.rules.js';

/** An address from which a key was used since the last writing. */
interface Sighting {
  readonly tenantId: string;
  readonly keyId: string;
  /** The secret that was shown; undefined for a token. */
  readonly secretId: string | undefined;
  readonly address: string;
  requests: number;
  firstMs: number;
  lastMs: number;
}

/** So many pairs of key and address wait for writing at most; what comes beyond is left out. */
const WAITING_MAX = 20_000;
/** How long an address is kept that is not seen again, in days. */
const KEPT_DAYS = 90;

const WRITE_SQL = {
  name: 'key_addresses_seen',
  text: `WITH w AS MATERIALIZED (
           SELECT * FROM unnest($1::uuid[], $2::uuid[], $3::bytea[], $4::text[], $5::bigint[],
                                $6::float8[], $7::float8[], $8::uuid[])
             AS w(tenant_id, key_id, address_hash, network, requests, first_ms, last_ms, secret_id)
         ), used AS (
           INSERT INTO key_use AS u (secret_id, tenant_id, key_id, last_used_at)
           SELECT w.secret_id, w.tenant_id, w.key_id, to_timestamp(max(w.last_ms) / 1000)
           FROM w WHERE w.secret_id IS NOT NULL
           GROUP BY w.secret_id, w.tenant_id, w.key_id ORDER BY w.secret_id
           ON CONFLICT (secret_id) DO UPDATE
             SET last_used_at = GREATEST(u.last_used_at, EXCLUDED.last_used_at)
         )
         INSERT INTO key_address AS a
           (tenant_id, key_id, address_hash, network, requests, first_seen_at, last_seen_at)
         SELECT w.tenant_id, w.key_id, w.address_hash, w.network, sum(w.requests),
                to_timestamp(min(w.first_ms) / 1000), to_timestamp(max(w.last_ms) / 1000)
         FROM w GROUP BY w.tenant_id, w.key_id, w.address_hash, w.network
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
 * From where keys are used, and when each of their secrets was used last. A request costs one look
 * into a map; every few seconds a node writes
 * what it has seen, with the address as a keyed hash. A node that dies forgets those seconds.
 */
export class KeySightings {
  /** By secret or token and then by address: no name is put together for a request. */
  private waiting = new Map<string, Map<string, Sighting>>();
  private waitingCount = 0;

  constructor(
    private readonly pool: Pool,
    private readonly secret: string,
  ) {}

  /** Notes that a key is used from an address. Members and internal requests are not noted. */
  see(who: Principal | undefined, address: string): void {
    if (who?.kind !== 'api_key' || address === '') return;
    const { id: keyId, tenantId, secret } = who;
    const nowMs = sharedNowMs();
    const known = this.waiting.get(secret?.id ?? keyId)?.get(address);
    if (known) {
      known.requests += 1;
      known.lastMs = nowMs;
    } else {
      const secretId = secret?.id;
      const [firstMs, lastMs] = [nowMs, nowMs];
      this.#wait({ tenantId, keyId, secretId, address, requests: 1, firstMs, lastMs });
    }
  }

  #wait(seen: Sighting): void {
    if (this.waitingCount >= WAITING_MAX) return;
    const shown = seen.secretId ?? seen.keyId;
    const ofKey = this.waiting.get(shown) ?? new Map<string, Sighting>();
    ofKey.set(seen.address, seen);
    this.waiting.set(shown, ofKey);
    this.waitingCount += 1;
  }

  /** Writes what was seen. What cannot be written waits for the next time. */
  async write(): Promise<void> {
    if (this.waitingCount === 0) return;
    const batch = [...this.waiting.values()].flatMap((ofKey) => [...ofKey.values()]);
    this.waiting = new Map();
    this.waitingCount = 0;
    const values = [
      batch.map(({ tenantId }) => tenantId),
      batch.map(({ keyId }) => keyId),
      batch.map(({ address }) => hmac(this.secret, 'client address', address)),
      batch.map(({ address }) => networkOf(address)),
      batch.map(({ requests }) => requests),
      batch.map(({ firstMs }) => firstMs),
      batch.map(({ lastMs }) => lastMs),
      batch.map(({ secretId }) => secretId ?? null),
    ];
    try {
      await this.pool.query({ ...WRITE_SQL, values });
    } catch (error) {
      for (const seen of batch) this.#keep(seen);
      throw error;
    }
  }

  /** What could not be written joins what has been seen since. */
  #keep(seen: Sighting): void {
    const since = this.waiting.get(seen.secretId ?? seen.keyId)?.get(seen.address);
    if (since) {
      since.requests += seen.requests;
      since.firstMs = seen.firstMs;
    } else {
      this.#wait(seen);
    }
  }

  /** Removes addresses that were not seen for long. */
  async forgetOld(): Promise<void> {
    await this.pool.query({ ...FORGET_SQL, values: [KEPT_DAYS] });
  }
}
