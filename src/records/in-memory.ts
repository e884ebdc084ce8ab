import type { ClientBase, Pool } from 'pg';
import type { SealedContent } from '../kernel/fields/sealed.js';
import { addedText, COMPLETED_BODY } from './journal-additions.js';
import type { Journal } from './journals.js';

// What nodes hold in memory of a tenant's records: read by one statement, without the ORM.

/** A version of a contract as a row holds it. */
export interface VersionRow {
  readonly kind: string;
  readonly contract_key: string;
  readonly version: number;
  readonly body: SealedContent;
}

const LATEST_TWO_SQL = {
  name: 'latest_two_versions_of_tenant',
  text: `SELECT kind, contract_key, version, body
         FROM contract_version v
         WHERE tenant_id = $1 AND kind = ANY ($2) AND version >= (
           SELECT max(version) - 1 FROM contract_version w
           WHERE w.tenant_id = v.tenant_id AND w.kind = v.kind AND w.contract_key = v.contract_key)
         ORDER BY kind, contract_key, version DESC`,
};

/** The latest version of each contract of some kinds and the one before it, the latest first. */
export async function latestTwoVersions(
  pool: Pool,
  tenantId: string,
  kinds: readonly string[],
): Promise<readonly VersionRow[]> {
  const values = [tenantId, kinds];
  return (await pool.query<VersionRow>({ ...LATEST_TWO_SQL, values })).rows;
}

/** Entries that share a value and two members of their bodies. */
export interface CountedEntries {
  readonly value: string;
  readonly members: readonly [string, string];
  readonly entries: number;
  /** The sum of a figure over those that have it, and how many have it. */
  readonly sum: number;
  readonly figures: number;
}

/** What is counted of a journal. */
export interface CountWish {
  readonly journal: Journal;
  /** Members of the bodies by which is told apart. */
  readonly by: readonly [string, string];
  /** A member of the bodies that is summed. */
  readonly figure: string;
  /** A member of the bodies that must be true. */
  readonly where: string;
  readonly days: number;
}

const COUNT_SQL = {
  name: 'counted_entries_of_tenant',
  text: `SELECT value, ARRAY[body ->> $3, body ->> $4] AS members, count(*)::int AS entries,
                coalesce(sum((body ->> $5)::numeric), 0)::float8 AS sum,
                count(body ->> $5)::int AS figures
         FROM (
           SELECT e.value, ${COMPLETED_BODY} AS body FROM journal_entry e
           ${addedText('$1', '$2')}
           WHERE e.tenant_id = $1 AND e.kind = $2 AND (e.body ->> $6)::boolean
             AND e.created_at >= now() - make_interval(days => $7)
         ) AS entry
         GROUP BY 1, 2`,
};

/** Counts the entries of a tenant's journal over some days. */
export async function countedEntries(
  pool: Pool,
  tenantId: string,
  { journal, by, figure, where, days }: CountWish,
): Promise<readonly CountedEntries[]> {
  const values = [tenantId, journal.kind, ...by, figure, where, days];
  return (await pool.query<CountedEntries>({ ...COUNT_SQL, values })).rows;
}

/** A record of a tenant as a row holds it. */
export interface RecordRow {
  readonly tenantId: string;
  readonly content: SealedContent;
  /** The member or key that published it; null for a receipt, which names none. */
  readonly by: string | null;
}

const IN_FORCE_SQL = {
  name: 'contracts_in_force_of_tenants',
  text: `SELECT DISTINCT ON (tenant_id, contract_key) tenant_id AS "tenantId", body AS content,
           created_by AS by
         FROM contract_version WHERE tenant_id = ANY ($1::uuid[]) AND kind = $2
         ORDER BY tenant_id, contract_key, version DESC`,
};

/** The latest version of each contract of a kind, of several tenants at once. */
export async function contractsInForce(
  client: ClientBase,
  tenantIds: readonly string[],
  kind: string,
): Promise<readonly RecordRow[]> {
  return (await client.query<RecordRow>({ ...IN_FORCE_SQL, values: [tenantIds, kind] })).rows;
}

const LAST_RECEIPTS_SQL = {
  name: 'last_receipts_of_tenants',
  text: `SELECT w.tenant_id AS "tenantId", r.content::jsonb AS content, NULL AS by
         FROM unnest($1::uuid[]) AS w(tenant_id)
         CROSS JOIN LATERAL (
           SELECT content, position FROM sealed_receipt
           WHERE tenant_id = w.tenant_id AND kind = $2 ORDER BY position DESC LIMIT $3
         ) r
         ORDER BY w.tenant_id, r.position DESC`,
};

/** The receipts of a kind that were sealed last, of several tenants at once; the latest first. */
export async function lastReceipts(
  client: ClientBase,
  tenantIds: readonly string[],
  { kind, limit }: { readonly kind: string; readonly limit: number },
): Promise<readonly RecordRow[]> {
  const values = [tenantIds, kind, limit];
  return (await client.query<RecordRow>({ ...LAST_RECEIPTS_SQL, values })).rows;
}
