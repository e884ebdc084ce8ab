import type { Onboarding as OnboardingRow } from '../../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../../graph/ctx.js';
import { database } from '../../../graph/database.js';
import { canonicalJson } from '../../../kernel/canonical.js';
import { fail, failOnFaults } from '../../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../../kernel/fields/faults.js';
import { sealedContent } from '../../../kernel/fields/sealed.js';
import { newId } from '../../../kernel/ids.js';
import { declared } from '../../../kernel/provenance.js';
import { tenantQuery } from '../../../platform/database/tenant-query.js';
import { change } from '../../../records/change.js';
import { appendEntry, type Journal, latestEntries } from '../../../records/journals.js';
import { measuredFrom } from '../../../records/measured.js';
import { requireOwn } from '../../../records/own.js';
import type { Receipt } from '../../../records/receipt.js';
import { firstSql } from '../../readiness/evidence.js';
import { readReadiness } from '../../readiness/service.js';
import { progressOf, type Reached } from './progress.rules.js';
import { ONBOARDING_RECEIPTS } from './records.js';
import { type Onboarding, PROGRESS_FIELDS, type Progress, TRACK_INPUT } from './tables.js';
import { MILESTONES, type Milestone } from './vocabulary.js';

/** What customers have declared: one entry for each milestone. */
const DECLARED: Journal<Milestone> = { kind: 'onboarding', values: MILESTONES.codes };

/**
 * Tracks the onboarding of the organization: keeps what is declared, reads from rows what is
 * measured, and seals the state where it differs from the last one.
 * @throws invalid_request with every fault
 */
export async function trackOnboarding(ctx: AuthorizedCtx, given: GivenValues): Promise<Onboarding> {
  const { milestones } = inputValues(TRACK_INPUT.fields, given);
  failOnFaults(inputFaults(TRACK_INPUT.fields, { milestones }, 'input'));
  const production = await readReadiness(ctx);
  const measured = await measuredMilestones(ctx);
  const name = { action: 'onboardingTrack', subject: 'Onboarding' } as const;
  return change(ctx, name, async (tx) => {
    const row = await startedOnboarding(ctx, tx);
    for (const value of new Set(milestones)) {
      const ref = { value, subject: row.id, externalRef: value };
      await appendEntry(ctx, DECLARED, ref, { tx });
    }
    const told = await declaredMilestones(ctx, row.id, tx);
    const facts = { onboardingId: row.id, startedAt: row.createdAt, production };
    const progress = progressOf({ ...facts, ...measured, declared: told });
    const receipt = await sealed(ctx, tx, progress);
    const { alreadySealed } = receipt;
    const result = { id: row.id, ...progress, receiptId: receipt.id, alreadySealed };
    return alreadySealed ? { result } : { result, id: row.id };
  });
}

/**
 * The latest receipt of an onboarding.
 * @throws not_found, for an onboarding of another organization as for an unknown one
 */
export async function onboardingReceipt(
  ctx: AuthorizedCtx,
  id: string,
): Promise<Receipt<{ readonly edition: number } & Progress>> {
  await requireOwn(ctx, 'Onboarding', id);
  const latest = await latestReceipt(ctx);
  return latest ?? fail('not_found', { values: { subject: 'onboarding', id }, param: 'id' });
}

async function latestReceipt(ctx: AuthorizedCtx) {
  const { edges } = await ONBOARDING_RECEIPTS.page(ctx, { first: 1 });
  return edges[0]?.node;
}

/** Seals a state unless it is that of the latest receipt, under the lock of the organization. */
async function sealed(ctx: AuthorizedCtx, tx: Transaction, progress: Progress) {
  const latest = await latestReceipt(ctx);
  if (latest && textOf(latest.content) === textOf(progress)) return latest;
  const edition = (latest?.content.edition ?? 0) + 1;
  const key = `${progress.onboardingId}:${edition}`;
  return ONBOARDING_RECEIPTS.seal(ctx, key, { edition, ...progress }, { tx });
}

function textOf(progress: Progress): string {
  return canonicalJson(sealedContent(PROGRESS_FIELDS, progress));
}

/**
 * The one onboarding of the organization; whoever asks first starts it. The organization is locked:
 * what others declare at the same moment is sealed one after the other, and none of it is missing.
 */
async function startedOnboarding(ctx: AuthorizedCtx, tx: Transaction): Promise<OnboardingRow> {
  const { tenantId, id: startedBy } = ctx.who;
  const data = { id: newId('Onboarding'), tenantId, startedBy };
  // The statement waits for a racer and then skips; the read after it sees what the racer wrote.
  await tx.onboarding.createMany({ data, skipDuplicates: true });
  await tx.$queryRaw`SELECT 1 FROM tenant WHERE id = ${tenantId}::uuid FOR NO KEY UPDATE`;
  return tx.onboarding.findFirstOrThrow({ where: { tenantId } });
}

async function declaredMilestones(ctx: AuthorizedCtx, subject: string, tx: Transaction) {
  const entries = await latestEntries(ctx, DECLARED, { subject }, MILESTONES.codes.length, { tx });
  const reached = entries.map(({ value, createdAt }) => [value, createdAt]);
  return declared(Object.fromEntries(reached) as Reached);
}

const SHOWN = MILESTONES.rows.flatMap(({ code, evidence }) =>
  evidence ? [{ code, evidence }] : [],
);

function firstOf({ code, evidence }: (typeof SHOWN)[number]): string {
  return `${firstSql(evidence)} AS ${code}`;
}

const MEASURED_SQL = {
  name: 'onboarding_milestones',
  text: `SELECT ${SHOWN.map(firstOf).join(', ')}`,
};

async function measuredMilestones(ctx: AuthorizedCtx) {
  const { tenantId } = ctx.who;
  const read = async () => {
    const query = { ...MEASURED_SQL, values: [tenantId] };
    return (await tenantQuery<Reached>(ctx.services.pool, tenantId, query)).rows;
  };
  const measured = await measuredFrom(ctx, read, ([row = {}]) => row);
  const { createdAt } = await database(ctx).tenant.findFirstOrThrow({ where: { id: tenantId } });
  return { measured, registeredAt: createdAt };
}
