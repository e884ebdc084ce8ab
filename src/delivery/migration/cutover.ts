import type { Approval, ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { next } from '../../kernel/lifecycle.js';
import { requestApproval } from '../../records/approvals/queue.js';
import { requireOwn } from '../../records/own.js';
import { afterCommit } from '../../records/scope.js';
import { aliasesOf, createAliasesOf, lockAliasesOf } from './aliases.js';
import { planOf, stored } from './columns.js';
import {
  acknowledgementsOf,
  type CutoverQuestion,
  checklistOf,
  decideCutover,
  openConditions,
} from './cutover.rules.js';
import {
  acknowledgedIn,
  CUTOVER_KIND,
  type CutoverGrounds,
  hexOf,
  SHOWN_FIELDS,
  sealCutover,
} from './cutover-approval.js';
import { readFactsOf } from './facts.js';
import { cutoverFaults } from './input.rules.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { completedPlan } from './rollback.rules.js';
import { type Step, takeStep } from './step.js';
import { CUTOVER_FIELDS, CUTOVER_INPUT, type Cutover, ROLLBACK_PLAN } from './tables.js';
import { APPROVAL_WAIT_SECONDS, type MigrationNote, STATUSES } from './vocabulary.js';

/** The note of each outcome that a request can have; every other one is blocked. */
const NOTES: Partial<Record<Cutover['decision'], MigrationNote>> = {
  pending_approval: 'cutover_requested',
  cut_over: 'cut_over',
};

type CutoverWish = ValuesOf<typeof CUTOVER_INPUT.fields>;

/**
 * Cuts over when every item of the checklist is done and a member has acknowledged every condition
 * of the comparison, or puts it into the approval queue where the migration asks for that. What
 * blocks it is an answer, not an error.
 * @throws invalid_request, acknowledgement_needs_member, not_found, lifecycle_refused when it was
 * cut over before
 */
export async function cutOverProject(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<ProviderMigration> {
  const wish = inputValues(CUTOVER_INPUT.fields, given);
  failOnFaults(cutoverFaults(wish));
  if (wish.acknowledgements.length > 0 && ctx.who.kind !== 'user') {
    fail('acknowledgement_needs_member');
  }
  const after = await takeStep(ctx, 'providerMigrationCutOver', id, (tx, before) =>
    stepOf(ctx, tx, before, wish),
  );
  afterCommit(ctx, () => ctx.services.modelAliases.forget(ctx.who.tenantId));
  return after;
}

async function stepOf(
  ctx: AuthorizedCtx,
  tx: Transaction,
  found: ProviderMigration,
  { rollback, acknowledgements: wishes }: CutoverWish,
): Promise<Step> {
  const from = STATUSES.parse(found.status);
  if (from === 'cut_over') next(MIGRATION_LIFECYCLE, from, 'cut_over');
  const plan = completedPlan(planOf(found), rollback ?? {});
  await lockAliasesOf(ctx, tx, found);
  const pending = await pendingApproval(ctx, tx, found);
  const facts = { ...(await readFactsOf(ctx, tx, found)), rollbackPlan: plan };
  const acknowledgements = pending
    ? acknowledgedIn(pending)
    : acknowledgementsOf(wishes, facts.conditions, ctx.who.id);
  const checklist = checklistOf(found.id, facts);
  const question: CutoverQuestion = {
    ...facts,
    checklist,
    needsApproval: found.requiresApproval,
    acknowledged: acknowledgements.map(({ code }) => code),
  };
  const { outcome: decision, guard: rule, reason } = decideCutover(question);
  const grounds = { facts, checklist, acknowledgements };
  const approvalId =
    decision === 'pending_approval'
      ? (pending?.id ?? (await requestCutover(ctx, tx, found, grounds)))
      : null;
  const isDone = decision === 'cut_over';
  const { kind, id } = ctx.who;
  const cutOverBy = { kind, id };
  const aliases = isDone ? await createAliasesOf(ctx, tx, found) : [];
  const sealed = isDone
    ? await sealCutover(ctx, tx, found, { ...grounds, aliases, approvalId, cutOverBy })
    : { receiptId: null, receiptSha256: null };
  const cutover: Cutover = {
    decision,
    rule,
    reason,
    checklist,
    acknowledgements,
    openConditions: openConditions(question),
    aliases,
    ...sealed,
    approvalId,
    decidedAt: sharedNow(),
  };
  return {
    data: {
      status: isDone ? next(MIGRATION_LIFECYCLE, from, 'cut_over') : from,
      cutover: stored(CUTOVER_FIELDS, cutover),
      approvalId: approvalId ?? found.approvalId,
      rollbackPlan: stored(ROLLBACK_PLAN.fields, plan),
    },
    note: NOTES[decision] ?? 'cutover_blocked',
    body: { decision, rule, reason, approval_id: approvalId },
  };
}

/** The approval that waits for this very comparison; null where none does. */
async function pendingApproval(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { approvalId }: ProviderMigration,
): Promise<Approval | null> {
  if (approvalId === null) return null;
  const approval = await requireOwn(ctx, 'Approval', approvalId, { tx });
  return approval.status === 'pending' ? approval : null;
}

async function requestCutover(
  ctx: AuthorizedCtx,
  tx: Transaction,
  project: ProviderMigration,
  { facts, checklist, acknowledgements }: CutoverGrounds,
): Promise<string> {
  const { id: subjectId, migrationKey } = project;
  const { comparison, rollbackPlan } = facts;
  if (!comparison) throw new TypeError('a cutover is asked for on a comparison');
  const shown = sealedContent(SHOWN_FIELDS, {
    migrationKey,
    receiptId: comparison.id,
    receiptSha256: hexOf(comparison.row.sha256),
    cutoverDecision: comparison.content.cutoverDecision,
    acknowledgements,
    checklist,
    rollbackPlan,
    aliases: aliasesOf(project),
  });
  const { kind } = CUTOVER_KIND;
  const summary = `Cut the migration ${migrationKey} over to the gateway.`;
  const wanted = { kind, subjectId, summary, shown, expiresInSeconds: APPROVAL_WAIT_SECONDS };
  return (await requestApproval(ctx, wanted, { tx })).id;
}
