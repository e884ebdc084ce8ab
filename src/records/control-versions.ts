import { LRUCache } from 'lru-cache';
import type { Pool } from 'pg';
import type { Listener } from '../platform/database/listen.js';
import { CHANGES } from '../platform/tenant-memory.js';

const VERSION_SQL = {
  name: 'control_version_of_tenant',
  text: 'SELECT control_version::text AS version FROM tenant WHERE id = $1',
};

const TENANTS_MAX = 50_000;

/**
 * The number that each change of a tenant's controls raises, such as policies, budgets, contracts
 * and switches. A request takes it before it looks at any of them and gives it to its hold, which
 * refuses one that is not in force any more. So what this node remembers decides nothing that a
 * change has overtaken, even where the notification of the change is still under way.
 */
export class ControlVersions {
  private readonly known = new LRUCache<string, string>({ max: TENANTS_MAX });
  private readonly reading = new Map<string, Promise<string>>();
  /** Raised by each change. */
  private changes = 0;
  private listener: Listener | undefined;

  constructor(private readonly pool: Pool) {}

  /** Keeps what is known true. */
  async follow(listener: Listener): Promise<void> {
    this.listener = listener;
    await listener.listen(CHANGES, (tenantId) => {
      this.changes += 1;
      this.known.delete(tenantId);
    });
    listener.onDisconnected(() => {
      this.changes += 1;
      this.known.clear();
    });
  }

  /** The number under which a tenant's next request is decided. */
  of(tenantId: string): string | Promise<string> {
    return this.known.get(tenantId) ?? this.reading.get(tenantId) ?? this.readOnce(tenantId);
  }

  /** Whether a version is in force, as the database says at this moment. */
  async isCurrent(tenantId: string, version: string): Promise<boolean> {
    return version === (await this.current(tenantId));
  }

  /** Drops what this node remembers of a tenant: a hold has said that it is not in force. */
  forget(tenantId: string): void {
    this.listener?.tell(CHANGES, tenantId);
  }

  /**
   * Many who ask at once share one read, which drops what the node remembers once for all of them.
   * One that a change overtakes answers a number that the hold refuses.
   */
  private readOnce(tenantId: string): Promise<string> {
    const read = this.read(tenantId).finally(() => this.reading.delete(tenantId));
    this.reading.set(tenantId, read);
    return read;
  }

  /**
   * What was remembered before the number was read may be older than it, and goes: whatever is
   * remembered is then at least as new.
   */
  private async read(tenantId: string): Promise<string> {
    const before = this.changes;
    const version = await this.current(tenantId);
    const isOvertaken = before !== this.changes;
    this.forget(tenantId);
    if (!isOvertaken) this.known.set(tenantId, version);
    return version;
  }

  private async current(tenantId: string): Promise<string> {
    const values = [tenantId];
    const { rows } = await this.pool.query<{ version: string }>({ ...VERSION_SQL, values });
    return rows[0]?.version ?? '0';
  }
}

declare module '../graph/ctx.js' {
  interface Services {
    readonly controls: ControlVersions;
  }
}
