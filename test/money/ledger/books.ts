import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { pino } from 'pino';
import { newId } from '../../../src/kernel/ids.js';
import { createLedger, type LedgerOptions } from '../../../src/money/ledger/create-ledger.js';
import type { Ledger } from '../../../src/money/ledger/ledger.js';
import type { KnownUsage, UsageRecord } from '../../../src/money/ledger/usage-record.js';
import { createPool } from '../../../src/platform/database/pool.js';
import { freshDatabase, type TestDatabase } from '../../support/database.js';

/** One tenant with an account, a project, a member and a key. */
export interface Customer {
  readonly tenantId: string;
  readonly accountId: string;
  readonly projectId: string;
  readonly userId: string;
  readonly keyId: string;
}

/** A database of a test's own with ledgers on it; everything goes when the books are closed. */
export interface Books {
  readonly database: TestDatabase;
  readonly pool: pg.Pool;
  readonly dataDir: string;
  ledger(nodeId: string, options?: Partial<LedgerOptions>): Promise<Ledger>;
  customer(fundsMicro?: bigint): Promise<Customer>;
  budget(customer: Customer, capMicro: bigint, period?: string): Promise<string>;
  close(): Promise<void>;
}

export const silent = pino({ level: 'silent' });

export async function openBooks(): Promise<Books> {
  const database = await freshDatabase();
  const pool = poolOn(database, 12);
  const dataDir = mkdtempSync(join(tmpdir(), 'gw-ledger-'));
  const ledgers: Ledger[] = [];
  return {
    database,
    pool,
    dataDir,
    async ledger(nodeId, options = {}) {
      const ledger = createLedger({ pool, nodeId, dataDir, log: silent, ...options });
      await ledger.start();
      ledgers.push(ledger);
      return ledger;
    },
    customer: (fundsMicro = 0n) => insertCustomer(pool, fundsMicro),
    async budget(customer, capMicro, period = 'total') {
      const id = newId('Budget');
      await pool.query(
        `INSERT INTO budget (id, tenant_id, scope_ref, name, period, cap_micro)
         VALUES ($1, $2, 'test', $3, $4, $5)`,
        [id, customer.tenantId, `${period} budget`, period, capMicro],
      );
      return id;
    },
    async close() {
      await Promise.allSettled(ledgers.map((ledger) => ledger.stop()));
      await pool.end();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}

function poolOn(database: TestDatabase, max: number): pg.Pool {
  return createPool({ connection: database.connection, max, applicationName: 'ledger test' });
}

/** A customer with funds, past every service. */
export async function insertCustomer(pool: pg.Pool, fundsMicro: bigint): Promise<Customer> {
  const customer = {
    tenantId: newId('Tenant'),
    accountId: newId('Account'),
    projectId: newId('Project'),
    userId: newId('User'),
    keyId: newId('ApiKey'),
  };
  const { tenantId, accountId, projectId, userId, keyId } = customer;
  await pool.query(`INSERT INTO tenant (id, name) VALUES ($1, 'T')`, [tenantId]);
  await pool.query(`INSERT INTO project (id, tenant_id, name) VALUES ($1, $2, 'P')`, [
    projectId,
    tenantId,
  ]);
  await pool.query(
    `INSERT INTO app_user (id, tenant_id, email, password_hash, role)
     VALUES ($1, $2, $3, 'x', 'owner')`,
    [userId, tenantId, `${userId}@example.com`],
  );
  await pool.query(
    `INSERT INTO api_key
       (id, tenant_id, project_id, name, key_type, key_hash, prefix, last_four, created_by,
        bound_role)
     VALUES ($1, $2, $3, 'K', 'standard', $4, 'gw_sk_', 'abcd', $5, 'owner')`,
    [keyId, tenantId, projectId, Buffer.from(keyId), userId],
  );
  await pool.query('INSERT INTO account (id, tenant_id) VALUES ($1, $2)', [accountId, tenantId]);
  if (fundsMicro > 0n) {
    await pool.query(`SELECT ledger_post($1, $2, 'top_up', $3, 'Opening', NULL)`, [
      accountId,
      newId('Request'),
      fundsMicro,
    ]);
  }
  return customer;
}

/** A usage row as the chat path records it. */
export function usageOf(customer: Customer, changes: Partial<UsageRecord> = {}): UsageRecord {
  return {
    projectId: customer.projectId,
    keyId: customer.keyId,
    operation: 'chat',
    requestedModel: 'gw:auto',
    model: 'sandbox-small',
    provider: 'sandbox',
    route: 'RU',
    simulated: true,
    feature: 'support',
    environment: 'production',
    clientId: 'client-1',
    tokens: {
      inputUncached: 100,
      inputCached: 0,
      cacheWrite: 0,
      outputText: 50,
      outputReasoning: 0,
    },
    rawUsage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 },
    usageSource: 'upstream',
    prices: {
      effectiveFrom: '2026-01-01',
      inputUncached: 400_000n,
      inputCached: 100_000n,
      cacheWrite: 0n,
      outputText: 800_000n,
      outputReasoning: 800_000n,
    },
    status: 'complete',
    httpStatus: 200,
    finishReason: 'stop',
    streamed: true,
    latencyMs: 500.4,
    timeToFirstTokenMs: 100,
    upstreamMs: 400,
    overheadUs: 500,
    attempts: 1,
    policyVersions: {},
    dataClass: 'C1',
    firewallFindings: {},
    metadata: {},
    ...changes,
  };
}

/** What the chat path knows of a request when it holds. */
export function knownUsageOf(customer: Customer): KnownUsage {
  const { projectId, keyId, operation, requestedModel, model, provider, route } = usageOf(customer);
  const facts = { projectId, keyId, operation, requestedModel, model, provider, route };
  return { ...facts, simulated: true, streamed: false, dataClass: 'C0' };
}
