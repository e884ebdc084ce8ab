import type { Pool } from 'pg';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import type { EgressRecord } from './transport.js';

declare module '../../graph/ctx.js' {
  interface Services {
    readonly egressLog: EgressLog;
  }
}

/** A host that a node of the installation has sent requests to. */
export interface Contact {
  readonly host: string;
  readonly jurisdiction: Jurisdiction;
  readonly providerId: string;
}

/** Whom the nodes have contacted, and since when that is known without a gap. */
export interface Contacts {
  readonly hosts: readonly Contact[];
  readonly since: Date;
}

/** A host is forgotten that no node has contacted for so long, in days. */
const KEPT_DAYS = 366;
/** Everybody may ask for the register: the rows are read this often at most. */
const READ_EVERY_MS = 5_000;

const WRITE_SQL = {
  name: 'egress_hosts_seen',
  text: `INSERT INTO egress_host AS e
           (host, jurisdiction, provider_id, operator, requests, connections)
         SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[],
                              $6::bigint[]) AS w ORDER BY 1, 2, 3, 4
         ON CONFLICT (host, jurisdiction, provider_id, operator) DO UPDATE
           SET requests = e.requests + EXCLUDED.requests,
               connections = e.connections + EXCLUDED.connections,
               last_seen_at = clock_timestamp()`,
};
const READ_SQL = {
  name: 'egress_hosts_read',
  text: `SELECT host, jurisdiction, provider_id AS "providerId", first_seen_at AS "firstSeenAt"
         FROM egress_host ORDER BY 1, 2, 3, operator`,
};
const FORGET_SQL = {
  name: 'egress_hosts_forget',
  text: `DELETE FROM egress_host
         WHERE last_seen_at < clock_timestamp() - make_interval(days => $1)`,
};

interface Row extends Contact {
  readonly firstSeenAt: Date;
}

/**
 * Keeps what nodes have contacted beyond their end. A request costs nothing here: the way out
 * counts in memory as it always has, and what was added since is written every few seconds. A node
 * that is killed forgets those seconds.
 */
export class EgressLog {
  /** What of the counts of this node is written, by the name of the route. */
  private readonly written = new Map<string, Pick<EgressRecord, 'requests' | 'connections'>>();
  private rows: readonly Row[] = [];
  private readAtMs = Number.NEGATIVE_INFINITY;
  private writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly pool: Pool,
    private readonly egress: () => readonly EgressRecord[],
  ) {}

  /** Writes what was added since the last time; what cannot be written waits for the next one. */
  write(): Promise<void> {
    const next = this.writing.then(() => this.writeAdded());
    this.writing = next.catch(() => {});
    return next;
  }

  /** Whom all nodes have contacted, this one until now, the others until some seconds ago. */
  async contacts(now: Date): Promise<Contacts> {
    await this.read();
    const own = this.egress().map(({ host, jurisdiction, providerId }) => ({
      host,
      jurisdiction,
      providerId,
    }));
    const startedMs = now.getTime() - Math.round(process.uptime() * 1_000);
    const first = this.rows.map(({ firstSeenAt }) => firstSeenAt.getTime());
    return {
      hosts: [...this.rows.map(({ firstSeenAt: _, ...contact }) => contact), ...own],
      since: new Date(Math.min(startedMs, ...first)),
    };
  }

  /** Removes what no node has contacted for long. */
  async forgetOld(): Promise<void> {
    await this.pool.query({ ...FORGET_SQL, values: [KEPT_DAYS] });
  }

  private async read(): Promise<void> {
    if (performance.now() - this.readAtMs < READ_EVERY_MS) return;
    this.readAtMs = performance.now();
    try {
      const { rows } = await this.pool.query<Row>(READ_SQL);
      this.rows = rows;
    } catch {
      // What was read last stays: a document without the database says what this node knows.
    }
  }

  private async writeAdded(): Promise<void> {
    const seen = routesOf(this.egress()).map((record) => {
      const before = this.written.get(nameOf(record)) ?? { requests: 0, connections: 0 };
      return { record, before };
    });
    const added = seen.filter(
      ({ record, before }) =>
        record.requests > before.requests || record.connections > before.connections,
    );
    if (added.length === 0) return;
    const values = [
      added.map(({ record }) => record.host),
      added.map(({ record }) => record.jurisdiction),
      added.map(({ record }) => record.providerId),
      added.map(({ record }) => record.operator),
      added.map(({ record, before }) => record.requests - before.requests),
      added.map(({ record, before }) => record.connections - before.connections),
    ];
    await this.pool.query({ ...WRITE_SQL, values });
    for (const { record } of added) {
      const { requests, connections } = record;
      this.written.set(nameOf(record), { requests, connections });
    }
  }
}

/** One provider may be at several addresses of one host: its row is one. */
function routesOf(records: readonly EgressRecord[]): EgressRecord[] {
  const byName = new Map<string, EgressRecord>();
  for (const record of records) {
    const known = byName.get(nameOf(record));
    const requests = record.requests + (known?.requests ?? 0);
    const connections = record.connections + (known?.connections ?? 0);
    byName.set(nameOf(record), { ...record, requests, connections });
  }
  return [...byName.values()];
}

function nameOf({ host, jurisdiction, providerId, operator }: EgressRecord): string {
  return JSON.stringify([host, jurisdiction, providerId, operator]);
}
