import { join } from 'node:path';
import type pg from 'pg';
import type { Violation } from '../../src/money/ledger/invariants.js';
import { prepareLayout } from '../../src/platform/database/embedded-layout.js';
import { createPool } from '../../src/platform/database/pool.js';
import { violationsAtRest } from '../support/books-at-rest.js';

/** One request as the books know it. Amounts in micro-rubles. */
export interface Booked {
  readonly requestId: string;
  readonly state: 'open' | 'finalized' | 'delivered' | 'refunded' | 'released';
  readonly chargedMicro: bigint | null;
  readonly refundedMicro: bigint;
  /** How many charges the ledger has for it. */
  readonly charges: number;
  readonly status: string | null;
  readonly errorCode: string | null;
  readonly usageSource: string | null;
  readonly outputTokens: number | null;
  readonly attempts: number | null;
}

/** The books of a gateway, read past it. */
export interface Books {
  readonly pool: pg.Pool;
  /** Everything that is wrong with the books now that nothing is under way. */
  violations(): Promise<Violation[]>;
  requests(): Promise<Map<string, Booked>>;
  /** What was charged by the ledger and by the usage table. */
  sums(): Promise<{ readonly ledgerMicro: bigint; readonly usageMicro: bigint }>;
  close(): Promise<void>;
}

/** Opens the books behind a connection. */
export function openBooks(connection: pg.ClientConfig): Books {
  const pool = createPool({ connection, max: 2, applicationName: 'books', queryTimeoutMs: 30_000 });
  return {
    pool,
    violations: () => violationsAtRest(pool),
    async requests() {
      const { rows } = await pool.query<Booked>(REQUESTS);
      return new Map(rows.map((row) => [row.requestId, row]));
    },
    async sums() {
      const { rows } = await pool.query<{ ledgerMicro: bigint; usageMicro: bigint }>(SUMS);
      const [sums] = rows;
      if (!sums) throw new Error('sums always answer a row');
      return sums;
    },
    close: () => pool.end(),
  };
}

/** How to reach the embedded database of a data folder while a gateway runs it. */
export function embeddedConnection(dataDir: string): pg.ClientConfig {
  const { socketFolder } = prepareLayout(join(dataDir, 'postgres'));
  return { host: socketFolder, port: 5432, user: 'postgres', database: 'postgres' };
}

const REQUESTS = `
  SELECT h.request_id AS "requestId", h.state, h.charged_micro AS "chargedMicro",
         h.refunded_micro AS "refundedMicro", u.status, u.error_code AS "errorCode",
         u.usage_source AS "usageSource", u.output_text AS "outputTokens", u.attempts,
         (SELECT count(*)::int FROM ledger_entry e
          WHERE e.request_id = h.request_id AND e.type = 'finalize') AS charges
  FROM hold h LEFT JOIN usage_event u ON u.tenant_id = h.tenant_id AND u.id = h.request_id`;

const SUMS = `
  SELECT (SELECT COALESCE(sum(amount_micro), 0)::bigint FROM ledger_entry
          WHERE type = 'finalize') AS "ledgerMicro",
         (SELECT COALESCE(sum(amount_micro), 0)::bigint FROM usage_event) AS "usageMicro"`;
