import type { ApiKey } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { PERMISSIONS, permissionsOfKey } from '../../graph/permissions.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { appendEntry, type Journal, latestEntries } from '../../records/journals.js';
import { measuredFrom } from '../../records/measured.js';
import { requireOwn } from '../../records/own.js';
import { databaseOf } from '../../records/scope.js';
import { requireKeyWithin } from '../workspaces/boundary.js';
import { TOKEN_PERMISSIONS } from './credential.js';
import { judgeRisk, newNetworkShare, type RiskFacts, spendTimes } from './risk.rules.js';
import { RISK, SCAN_INPUT } from './tables.js';
import { RISK_VERDICTS, RISK_WINDOWS } from './vocabulary.js';

/** The scans of keys; what a scan is about is the key. */
const SCANS: Journal<(typeof RISK_VERDICTS.codes)[number]> = {
  kind: 'key_risk',
  values: RISK_VERDICTS.codes,
};

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

type Risk = ValuesOf<typeof RISK.fields>;

/**
 * Measures the risk of a key by its own history and records it.
 * @throws invalid_request where a member names no key, not_found
 */
export async function scanKey(ctx: AuthorizedCtx, given: GivenValues): Promise<Risk> {
  const { keyRef } = inputValues(SCAN_INPUT.fields, given);
  const ownId = ctx.who.kind === 'api_key' ? ctx.who.id : undefined;
  const keyId = keyRef ?? ownId;
  if (keyId === undefined) {
    const what = 'is needed: a member has no key of its own to look at';
    return failOnFaults([fault('input.keyRef', 'missing', what)]) as never;
  }
  const named = { param: 'input.keyRef', subject: 'API key' };
  const key = await requireOwn(ctx, 'ApiKey', keyId, named);
  await requireKeyWithin(ctx, databaseOf(ctx), key, { ...named, id: keyId });
  const now = sharedNow();
  await ctx.services.keySightings.write();
  const history = await historyOf(ctx, key, now);
  const judged = judgeRisk(history.facts);
  const { verdict } = judged;
  const risk: Risk = {
    keyRef: key.id,
    ...judged,
    signals: [...judged.signals],
    missing: [...judged.missing],
    spendAtRiskMicro: history.facts.isLive ? history.spendableMicro : 0n,
    provenance: history.provenance,
    scannedAt: now,
  };
  const name = { action: 'keyRiskScan', subject: 'ApiKey' } as const;
  return change(ctx, name, async (tx) => {
    const body = sealedContent(RISK.fields, risk);
    await appendEntry(ctx, SCANS, { value: verdict, subject: key.id, body }, { tx });
    return { result: risk, id: key.id, after: body };
  });
}

/** The latest scan of a key; null where none was made. @throws not_found */
export async function latestRisk(ctx: AuthorizedCtx, ref: string): Promise<Risk | null> {
  await requireOwn(ctx, 'ApiKey', ref, { param: 'ref', subject: 'API key' });
  const [entry] = await latestEntries(ctx, SCANS, { subject: ref }, 1);
  return entry ? openedContent(RISK.fields, entry.body as unknown as SealedContent) : null;
}

interface HistoryRow {
  readonly lineBegan: Date;
  readonly networks: readonly string[];
  readonly networksBefore: readonly string[];
  readonly isSeen: boolean;
  readonly spendableMicro: bigint;
}

async function historyOf(ctx: AuthorizedCtx, key: ApiKey, now: Date) {
  const { recentHours, spendDays } = RISK_WINDOWS;
  const recentFrom = new Date(now.getTime() - recentHours * HOUR_MS);
  const spendFrom = new Date(recentFrom.getTime() - spendDays * DAY_MS);
  const { value: row, provenance } = await measuredFrom(ctx, rowsOf(key, recentFrom), (rows) => {
    const [first] = rows;
    if (!first) throw new Error('the statement of a key’s history returned no row');
    return first;
  });
  const { keySpend } = ctx.services;
  const recent = await keySpend(ctx, key.id, { from: recentFrom, to: now });
  const before = await keySpend(ctx, key.id, { from: spendFrom, to: recentFrom });
  const networks = { recent: row.networks, before: row.networksBefore };
  const isUsed = row.isSeen || recent.requests + before.requests > 0n;
  const days = (since: Date) => (now.getTime() - since.getTime()) / DAY_MS;
  const facts: RiskFacts = {
    isUsed,
    isLive: !key.revokedAt && (!key.expiresAt || key.expiresAt > now),
    age: days(row.lineBegan),
    rotation: days(key.createdAt),
    scope: rightsOf(key) / Object.keys(PERMISSIONS).length,
    spend: spendTimes({ recentMicro: recent.amountMicro, beforeMicro: before.amountMicro }),
    networks: networks.recent.length === 0 ? null : networks.recent.length,
    new_networks: newNetworkShare(networks),
  };
  return { facts, provenance, spendableMicro: row.spendableMicro };
}

function rightsOf({ keyType, boundRole }: ApiKey): number {
  return keyType === 'ephemeral'
    ? TOKEN_PERMISSIONS.length
    : permissionsOfKey(keyType, boundRole).size;
}

/**
 * The first key of the line that rotations made, the networks of the key, and what it could spend:
 * the least of the free funds and of what is left of the budgets of its project and of its own.
 */
function rowsOf({ id, tenantId, projectId, limitsId }: ApiKey, recentFrom: Date) {
  const beforeFrom = new Date(recentFrom.getTime() - RISK_WINDOWS.addressDays * DAY_MS);
  return (rows: Transaction) => rows.$queryRaw<HistoryRow[]>`
    WITH RECURSIVE line AS (
      SELECT id, created_at FROM api_key WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid
      UNION
      SELECT k.id, k.created_at FROM line
      JOIN key_action a ON a.new_key_id = line.id AND a.tenant_id = ${tenantId}::uuid
      JOIN api_key k ON k.id = a.key_id AND k.tenant_id = ${tenantId}::uuid
    ), seen AS (
      SELECT network, min(first_seen_at) AS first_at, max(last_seen_at) AS last_at
      FROM key_address WHERE key_id = ${id}::uuid AND tenant_id = ${tenantId}::uuid GROUP BY network
    ), capped AS (
      SELECT b.cap_micro + budget_granted(b.id, s.period_start)
             - COALESCE(c.spent_micro, 0) - COALESCE(c.held_micro, 0) AS left_micro
      FROM budget b
      CROSS JOIN LATERAL (
        SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
      ) s
      LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
      WHERE b.tenant_id = ${tenantId}::uuid AND b.active AND (
        b.scope_kind = 'policy' AND b.policy_id IN (
          SELECT p.id FROM policy p WHERE p.project_id = ${projectId}::uuid AND p.enabled)
        OR b.scope_kind = 'ephemeral_token' AND b.scope_ref = ${id}
        OR b.scope_kind = 'key' AND b.scope_ref = ${limitsId ?? ''})
    )
    SELECT (SELECT min(created_at) FROM line) AS "lineBegan",
      ARRAY(SELECT network FROM seen WHERE last_at >= ${recentFrom} ORDER BY 1) AS networks,
      ARRAY(SELECT network FROM seen WHERE first_at < ${recentFrom} AND last_at >= ${beforeFrom}
            ORDER BY 1) AS "networksBefore",
      EXISTS (SELECT FROM seen) AS "isSeen",
      GREATEST(0, LEAST(
        (SELECT posted_micro - held_micro + credit_limit_micro FROM account
         WHERE tenant_id = ${tenantId}::uuid),
        (SELECT min(left_micro) FROM capped)))::bigint AS "spendableMicro"`;
}
