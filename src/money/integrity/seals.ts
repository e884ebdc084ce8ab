import { setTimeout as sleep } from 'node:timers/promises';
import type { IntegritySeal } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Services, Transaction } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { isoTime } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { requireUsageSince } from '../../records/kept-detail.js';
import { measuredFrom } from '../../records/measured.js';
import { beforeBegin, organizationBegin } from '../../records/organization-begin.js';
import type { Receipt } from '../../records/receipt.js';
import { databaseOf, type TenantScope } from '../../records/scope.js';
import { forgetFaults, foundIn } from './found.js';
import { readOn } from './period.js';
import { periodOf } from './period.rules.js';
import { COUNT_ROWS, ESTIMATE_ROWS } from './period.statements.js';
import { openedReading } from './reading.rules.js';
import { INTEGRITY_RECEIPTS, type IntegrityContent } from './records.js';
import { contradicts, receiptKey, sealedCheck } from './seal.rules.js';
import { danglingAfterMs } from './service.js';
import { SEAL_INPUT } from './tables.js';
import { REREAD_DAYS, SEALED_AT_ONCE_MAX } from './vocabulary.js';

/** A receipt of integrity. */
export type IntegrityReceipt = Receipt<IntegrityContent>;

/** Where a period is read and sealed: a request, or work behind them. */
export type SealScope = TenantScope & {
  readonly services: Pick<Services, 'prisma' | 'dataKeys' | 'pool' | 'platformPool' | 'config'>;
};

/**
 * Seals what the rows of a period say, once for it: whoever asks again gets the first receipt. A
 * period with many rows is read behind the request, which is answered with how far that has come.
 * @throws invalid_request with every fault, among them a period that is not over, or over before
 * the organization was there; detail_dropped
 */
export async function sealIntegrity(
  ctx: AuthorizedCtx,
  given: GivenValues,
  action = 'billingIntegrityPeriodSeal',
): Promise<IntegrityReceipt | IntegritySeal> {
  const asked = inputValues(SEAL_INPUT.fields, given);
  failOnFaults(inputFaults(SEAL_INPUT.fields, asked, 'input'));
  const now = await databaseNow(databaseOf(ctx));
  const { from, to, faults } = periodOf(asked, now);
  failOnFaults(faults);
  const key = `${isoTime(from)}/${isoTime(to)}`;
  const known = await INTEGRITY_RECEIPTS.byKey(ctx, key);
  if (known && !asked.full) return { ...known, alreadySealed: true };
  const path = asked.to === null ? 'input.period' : 'input.to';
  failOnFaults(beforeBegin(path, { from, to }, await organizationBegin(ctx)));
  await requireUsageSince(ctx.services.pool, from);
  const seal = await beginReading(ctx, key, { from, to });
  const isRead = seal.rowsTotal <= BigInt(SEALED_AT_ONCE_MAX) && (await readThrough(ctx, seal.id));
  if (isRead) {
    return change(ctx, { action, subject: 'SealedReceipt' }, async (tx) => {
      const result = await sealRead(ctx, tx, seal.id);
      return { result, id: result.alreadySealed ? undefined : result.id };
    });
  }
  return change(ctx, { action, subject: 'IntegritySeal' }, async (tx) => {
    const result = await tx.integritySeal.findUniqueOrThrow({ where: { id: seal.id } });
    return { result, id: seal.id };
  });
}

/**
 * The receipt of a period.
 * @throws integrity_seal_pending while its rows are read, and what `sealIntegrity` does
 */
export async function sealedIntegrity(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<IntegrityReceipt> {
  const sealing = await sealIntegrity(ctx, given, 'billingIntegrityReceiptSeal');
  if (!('rowsTotal' in sealing)) return sealing;
  return fail('integrity_seal_pending', { values: { id: sealing.id } });
}

const KNOWN = `SELECT id, rows_total AS "rowsTotal" FROM integrity_seal
  WHERE tenant_id = $1 AND seal_key = $2 AND status = 'pending'`;

/** A period that was sealed is read as the next generation; one that failed, anew. */
const BEGIN = `
  INSERT INTO integrity_seal AS s (id, tenant_id, seal_key, from_at, to_at, rows_total, due_at)
  VALUES ($1, $2, $3, $4, $5, $6, clock_timestamp() + $7 * interval '1 ms')
  ON CONFLICT (tenant_id, seal_key) DO UPDATE SET status = 'pending', reading = NULL,
    generation = s.generation + CASE s.status WHEN 'sealed' THEN 1 ELSE 0 END, failure = NULL,
    rows_read = 0, rows_total = EXCLUDED.rows_total, due_at = EXCLUDED.due_at
    WHERE s.status <> 'pending'
  RETURNING id, rows_total AS "rowsTotal"`;

/** How long a request reads alone before work behind the requests may go on with it. */
const OWN_MS_MAX = 20_000;

interface BegunSeal {
  readonly id: string;
  readonly rowsTotal: bigint;
}

/** The reading of a period that is under way, or one that begins. It is committed by itself. */
async function beginReading(
  { services, who }: SealScope,
  key: string,
  { from, to }: Window,
): Promise<BegunSeal> {
  const { platformPool } = services;
  const { tenantId } = who;
  const rowsTotal = await countRows(services, tenantId, { from, to });
  const values = [newId('IntegritySeal'), tenantId, key, from, to, rowsTotal];
  const ownMs = rowsTotal > SEALED_AT_ONCE_MAX ? 0 : OWN_MS_MAX;
  const begun = await platformPool.query<BegunSeal>(BEGIN, [...values, ownMs]);
  const { rows } = begun.rowCount ? begun : await platformPool.query(KNOWN, [tenantId, key]);
  const [seal] = rows;
  // It was sealed between the two statements, so this reading is the next one.
  return seal ?? beginReading({ services, who }, key, { from, to });
}

/** How many rows a period has: exactly as far as that decides, and else about. */
async function countRows(
  { platformPool }: Pick<Services, 'platformPool'>,
  tenantId: string,
  { from, to }: Window,
): Promise<number> {
  const values = [tenantId, from, to];
  const counted = await platformPool.query<{ lines: number; used: number }>(COUNT_ROWS, [
    ...values,
    SEALED_AT_ONCE_MAX + 1,
  ]);
  const { lines = 0, used = 0 } = counted.rows[0] ?? {};
  if (lines + used <= SEALED_AT_ONCE_MAX) return lines + used;
  const estimated = await platformPool.query<{ rows: bigint }>(ESTIMATE_ROWS, values);
  return Math.max(lines + used, Number(estimated.rows[0]?.rows ?? 0n));
}

const BUSY_MS = 50;

/** Reads a period to its end. @returns false where that takes longer than a request should */
async function readThrough({ services }: SealScope, id: string): Promise<boolean> {
  const deadlineMs = performance.now() + OWN_MS_MAX;
  while (performance.now() < deadlineMs) {
    const step = await readOn(services.platformPool, id, danglingAfterMs(services));
    // Somebody else who has read the same period seals it: both get the one receipt.
    if (step === 'read' || step === 'gone') return true;
    if (step === 'busy') await sleep(BUSY_MS);
  }
  return false;
}

/**
 * Seals a period that was read to its end, in the transaction of the caller: its first receipt, or
 * one that supersedes the latest where the rows contradict it.
 * @returns the receipt of the period, the latest one
 */
export async function sealRead(
  scope: SealScope,
  tx: Transaction,
  id: string,
): Promise<IntegrityReceipt> {
  await tx.$queryRaw`SELECT 1 FROM integrity_seal WHERE id = ${id}::uuid FOR UPDATE`;
  const seal = await tx.integritySeal.findUniqueOrThrow({ where: { id } });
  const latest = await latestReceipt(scope, tx, seal);
  if (seal.status !== 'pending' && latest) return latest;
  const content = await contentOf(scope, seal, latest?.id ?? null);
  const now = { verdict: content.verdict, rootSha256: content.rootSha256 };
  const isSame = latest !== undefined && !contradicts(sealedAs(seal), now);
  const receipt = isSame
    ? latest
    : await INTEGRITY_RECEIPTS.seal(
        scope,
        receiptKey(seal.sealKey, seal.generation, latest === undefined),
        content,
        { tx },
      );
  const root = content.rootSha256 === null ? null : Buffer.from(content.rootSha256, 'hex');
  await tx.integritySeal.update({
    where: { id },
    data: {
      status: 'sealed',
      reading: null as never,
      receiptId: receipt.id,
      verdict: content.verdict,
      rootSha256: root && new Uint8Array(root),
      ...(isSame ? {} : { sealedGeneration: seal.generation }),
      readAt: await databaseNow(tx),
      dueAt: new Date(sharedNowMs() + REREAD_DAYS * DAY_MS),
    },
  });
  if (isSame) await forgetFaults(scope.services.platformPool, seal);
  return receipt;
}

const DAY_MS = 86_400_000;

function sealedAs({ verdict, rootSha256 }: IntegritySeal) {
  const root = rootSha256 === null ? null : Buffer.from(rootSha256).toString('hex');
  return { verdict: verdict ?? '', rootSha256: root };
}

async function latestReceipt(
  scope: SealScope,
  tx: Transaction,
  { receiptId }: IntegritySeal,
): Promise<IntegrityReceipt | undefined> {
  if (receiptId === null) return undefined;
  return (await INTEGRITY_RECEIPTS.byIds(scope, [receiptId], { tx })).get(receiptId);
}

/** What is sealed of a period that was read, from the rows that its reading has kept. */
async function contentOf(
  scope: SealScope,
  seal: IntegritySeal,
  supersedes: string | null,
): Promise<IntegrityContent> {
  const { platformPool } = scope.services;
  const reading = openedReading(seal.reading as object);
  const window = { from: seal.fromAt, to: seal.toAt };
  const { value, provenance } = await measuredFrom(
    scope,
    async () => [await foundIn(platformPool as never, seal)],
    ([found]) =>
      sealedCheck({ window, reading, ...(found as Awaited<ReturnType<typeof foundIn>>) }),
  );
  return { ...value, supersedes, provenance };
}
