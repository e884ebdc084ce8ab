import type { Pool } from 'pg';
import type { Principal } from '../../graph/ctx.js';
import type { Listener } from '../../platform/database/listen.js';
import { TenantMemory } from '../../platform/tenant-memory.js';

const THROTTLES_SQL = {
  name: 'key_throttles_of_tenant',
  text: `SELECT key_id, min(requests_per_minute) AS per_minute FROM key_action
         WHERE tenant_id = $1 AND action = 'throttle' AND undone_at IS NULL GROUP BY key_id`,
};

/** A throttle that holds for a caller. */
export interface Throttle {
  /** The key that is throttled: the caller's, or one that led to it. */
  readonly keyId: string;
  readonly perMinute: number;
}

/** The throttles of an organization by key: of several on one, the strictest. */
export type Throttles = ReadonlyMap<string, number>;

/** The throttles in force, in memory by tenant: most have none, and pay one look. */
export class KeyControls {
  private readonly memory = new TenantMemory<Throttles>();

  constructor(private readonly pool: Pool) {}

  /** Keeps the memory true. */
  follow(listener: Listener): Promise<void> {
    return this.memory.follow(listener);
  }

  /** What is in force now. */
  forTenant(tenantId: string): Throttles | Promise<Throttles> {
    const keep = (value: Throttles) => ({ tenantId, value });
    return (
      this.memory.known(tenantId) ?? this.memory.read(tenantId, () => this.load(tenantId), keep)
    );
  }

  /** Drops what is known of a tenant. Whoever changes a throttle calls it, others are notified. */
  forget(tenantId: string): void {
    this.memory.forget(tenantId);
  }

  private async load(tenantId: string): Promise<Throttles> {
    const { rows } = await this.pool.query<{ key_id: string; per_minute: number }>({
      ...THROTTLES_SQL,
      values: [tenantId],
    });
    return new Map(rows.map(({ key_id, per_minute }) => [key_id, per_minute]));
  }
}

/** The strictest throttle of a caller: what a key has made, key or token, shares its throttle. */
export function throttleOf(
  throttles: Throttles,
  { id, makers }: Pick<Principal, 'id' | 'makers'>,
): Throttle | undefined {
  if (throttles.size === 0) return undefined;
  const found = [id, ...makers].flatMap((keyId) => {
    const perMinute = throttles.get(keyId);
    return perMinute === undefined ? [] : [{ keyId, perMinute }];
  });
  return found.sort((left, right) => left.perMinute - right.perMinute)[0];
}
