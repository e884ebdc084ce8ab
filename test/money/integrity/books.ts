import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type pg from 'pg';
import { newId } from '../../../src/kernel/ids.js';
import { taxInside } from '../../../src/kernel/money.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

const AT_ONCE = 1_000;
const CLEAN_BOOKS = readFileSync(join(projectRoot(), 'bench', 'books.sql'), 'utf8');

/** Whose books are written. */
export interface Owner {
  readonly tenantId: string;
  readonly accountId: string;
  readonly projectId: string;
}

interface PlantedTime {
  readonly requests: number;
  readonly from: Date;
  readonly stepMs: number;
  /** The client that the requests name; none unless it is stated. */
  readonly clientId?: string;
}

/** The same books, whose usage rows name a client. */
function withClient(sql: string, clientId: string): string {
  return sql
    .replace(
      'project_id, operation, requested_model',
      'project_id, client_id, operation, requested_model',
    )
    .replace(":project, 'chat', 'model-'", `:project, '${clientId}', 'chat', 'model-'`);
}

/**
 * Writes the books of served and failed requests as the ledger would: holds, charges or releases,
 * usage rows that explain the charges, and the balance. One each `stepMs` from `from` on.
 */
export async function plantCleanBooks(
  pool: pg.Pool,
  { tenantId, accountId, projectId }: Owner,
  { requests, from, stepMs, clientId }: PlantedTime,
): Promise<void> {
  const of = clientId === undefined ? CLEAN_BOOKS : withClient(CLEAN_BOOKS, clientId);
  for (let first = 1; first <= requests; first += AT_ONCE) {
    const values: Readonly<Record<string, string>> = {
      tenant: `'${tenantId}'`,
      account: `'${accountId}'`,
      project: `'${projectId}'`,
      first: String(first),
      requests: String(Math.min(AT_ONCE, requests - first + 1)),
      begin: `'${from.toISOString()}'`,
      step_ms: String(stepMs),
    };
    await pool.query(of.replace(/(?<!:):(\w+)/g, (whole, name: string) => values[name] ?? whole));
  }
}

type Row = Readonly<Record<string, unknown>>;

/** One request as it is planted: what is left out is not there at all. */
export interface Planted {
  readonly hold?: Row;
  readonly finalize?: Row;
  readonly release?: Row;
  /** A second charge, in an account that nobody has. */
  readonly finalizeElsewhere?: Row;
  readonly usage?: Row;
}

const RATE = 2_200;
const TOKENS = { input_uncached: 1_000, output_text: 500 };
/** 1,000 × 0.2 and 500 × 0.8 micro-rubles a token. */
const PRICES = {
  effective_from: '2026-01-01',
  input_uncached: '200000',
  input_cached: '200000',
  cache_write: '200000',
  output_text: '800000',
  output_reasoning: '800000',
};
/** What the planted usage costs by its prices. */
export const COST_MICRO = 600n;

/** An id of a request that was made at a moment, as ids of requests begin with their time. */
function requestIdAt(at: Date): string {
  const time = at.getTime().toString(16).padStart(12, '0');
  return newId('Request').replace(/^.{8}-.{4}/, `${time.slice(0, 8)}-${time.slice(8)}`);
}

/**
 * Writes lines and rows as nobody but the owner of the database could; the lines go on behind the
 * last one of the account. @returns the request
 */
export async function plant(
  pool: pg.Pool,
  { tenantId, accountId, projectId }: Owner,
  at: Date,
  { hold, finalize, release, finalizeElsewhere, usage }: Planted,
): Promise<string> {
  const requestId = requestIdAt(at);
  const insert = async (table: string, row: Row) => {
    const names = Object.keys(row);
    const places = names.map((_, index) => `$${index + 1}`);
    await pool.query(
      `INSERT INTO ${table} (${names.join(', ')}) VALUES (${places.join(', ')})`,
      Object.values(row),
    );
  };
  const line = async (type: string, row: Row) => {
    const whose = { account_id: accountId, tenant_id: tenantId, request_id: requestId };
    const chained = await chainedLine(pool, accountId, { ...lineOf(type), ...row });
    await insert('ledger_entry', { ...whose, created_at: at, ...chained });
  };
  if (hold) await line('hold', hold);
  if (hold || finalize || release) {
    const charged = finalize ? (finalize.amount_micro ?? COST_MICRO) : null;
    await insert('hold', {
      ...{ account_id: accountId, request_id: requestId, tenant_id: tenantId },
      amount_micro: hold?.amount_micro ?? COST_MICRO,
      state: finalize ? 'delivered' : release ? 'released' : 'open',
      ...{ charged_micro: charged, node_id: 'planted', epoch: 1, created_at: at },
    });
  }
  if (finalize) await line('finalize', finalize);
  if (release) await line('release', release);
  if (finalizeElsewhere) {
    const whose = { account_id: newId('Account'), tenant_id: tenantId, request_id: requestId };
    const own = { ...lineOf('finalize'), posted_after: 0, held_after: 0, account_version: 1 };
    await insert('ledger_entry', { ...whose, ...own, created_at: at, ...finalizeElsewhere });
  }
  const whose = { account_id: accountId, project_id: projectId, tenant_id: tenantId };
  const used = { ...whose, id: requestId, ...USED, created_at: at, ...usage };
  if (usage) await insert('usage_event', used);
  return requestId;
}

/** A line with its number and the balances after it, which the account has then. */
async function chainedLine(pool: pg.Pool, accountId: string, line: Row): Promise<Row> {
  const { rows } = await pool.query(
    `UPDATE account SET version = version + 1, posted_micro = posted_micro + $2,
       held_micro = GREATEST(held_micro + $3, 0), credit_limit_micro = 1000000000000
     WHERE id = $1
     RETURNING version AS account_version, posted_micro AS posted_after, held_micro AS held_after`,
    [accountId, line.posted_delta, line.held_delta],
  );
  return { ...line, ...(rows[0] as Row) };
}

const VAT_MICRO = taxInside(COST_MICRO, RATE).vat;

function lineOf(type: string): Row {
  const isCharge = type === 'finalize';
  return {
    type,
    contra: isCharge ? 'revenue' : 'held',
    amount_micro: COST_MICRO,
    posted_delta: isCharge ? -COST_MICRO : 0,
    held_delta: type === 'hold' ? COST_MICRO : -COST_MICRO,
    vat_rate_basis_points: isCharge ? RATE : null,
    vat_micro: isCharge ? VAT_MICRO : 0,
  };
}

const USED: Row = {
  operation: 'chat',
  requested_model: 'planted',
  model: 'planted',
  provider: 'planted',
  route: 'RU',
  simulated: false,
  ...TOKENS,
  input_cached: 0,
  cache_write: 0,
  output_reasoning: 0,
  usage_source: 'upstream',
  prices: JSON.stringify(PRICES),
  cost_micro: COST_MICRO,
  amount_micro: COST_MICRO,
  vat_rate_basis_points: RATE,
  vat_micro: VAT_MICRO,
  status: 'complete',
  http_status: 200,
  streamed: false,
  latency_ms: 100,
  overhead_us: 100,
  attempts: 1,
  policy_versions: '{}',
  data_class: 'C0',
  firewall_findings: '{}',
  metadata: '{}',
};

/** A usage row of a request that cost nothing. */
export const FAILED = { status: 'failed', cost_micro: 0, amount_micro: 0, vat_micro: 0 };

/** The price row of a planted request with some prices of another. */
export function pricesWith(some: Row): string {
  return JSON.stringify({ ...PRICES, ...some });
}
