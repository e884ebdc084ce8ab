import type { Prompt } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { length, wellFormed } from '../../kernel/errors/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { appendEntry } from '../../records/journals.js';
import { lockOwn } from '../../records/own.js';
import { passingReceipt } from './gate/promotable.js';
import { HAPPENING_FIELDS, PROMPT_JOURNAL } from './journal.js';
import { type Advance, type Move, promotion, rollback, type Stage } from './lifecycle.rules.js';
import { snapshot } from './service.js';
import { stageOf, stageToPromote } from './stored.js';
import { GATED_STATUSES, PROMPT_BOUNDS, type PromptStatus } from './vocabulary.js';

/** A promotion, as it is asked for. */
export interface PromotionOrder {
  /** Default: the latest version that is not deprecated. */
  readonly version?: number | null;
  /** The status that the version must reach; only the next one is possible. */
  readonly to?: PromptStatus | null;
  readonly reason?: string | null;
}

/**
 * Promotes a version by one step.
 * @throws invalid_request, not_found, prompt_without_version, lifecycle_refused,
 * prompt_gate_missing, prompt_gate_not_measured, prompt_gate_stale, prompt_cases_replaced
 */
export async function promotePrompt(
  ctx: AuthorizedCtx,
  id: string,
  { version, to, reason }: PromotionOrder,
): Promise<Prompt> {
  failOnFaults(reasonFaults(reason));
  return move(ctx, id, 'promptPromote', reason, async (tx, before) => {
    const stage = await stageToPromote(tx, before, version);
    const inProduction = await tx.promptStage.findFirst({
      where: { promptId: id, tenantId: before.tenantId, status: 'production' },
    });
    const advance = promotion(before, stage, inProduction ? stageOf(inProduction) : undefined, to);
    const target = advance.moves.at(-1)?.status;
    const isGated = target !== undefined && GATED_STATUSES.includes(target);
    const receiptId = isGated
      ? await passingReceipt(ctx, tx, { prompt: before, version: stage.version, to: target })
      : null;
    return { ...advance, receiptId };
  });
}

/**
 * Makes the previous version current again, one further back each time.
 * @throws invalid_request, not_found, prompt_no_previous_version
 */
export async function rollbackPrompt(
  ctx: AuthorizedCtx,
  id: string,
  reason?: string | null,
): Promise<Prompt> {
  failOnFaults(reasonFaults(reason));
  return move(ctx, id, 'promptRollback', reason, async (tx, before) => {
    const { currentVersion, previousVersions, promptKey: key } = before;
    const previous = previousVersions.at(-1);
    if (currentVersion === null || previous === undefined) {
      return fail('prompt_no_previous_version', { values: { key } });
    }
    const leaving = await stageOfVersion(tx, before, currentVersion);
    const returning = await stageOfVersion(tx, before, previous);
    return { ...rollback(before, leaving, returning), receiptId: null };
  });
}

/** An advance, with the gate receipt that it rests on. */
interface Founded extends Advance {
  readonly receiptId: string | null;
}

/** Moves a package under its lock: decides, writes the stages, the course, journal and audit. */
async function move(
  ctx: AuthorizedCtx,
  id: string,
  action: 'promptPromote' | 'promptRollback',
  reason: string | null | undefined,
  decide: (tx: Transaction, before: Prompt) => Promise<Founded>,
): Promise<Prompt> {
  return change(ctx, { action, subject: 'Prompt' }, async (tx) => {
    const before = await lockOwn(ctx, tx, 'Prompt', id);
    const advance = await decide(tx, before);
    const { moves, currentVersion, previousVersions } = advance;
    for (const step of moves) await writeMove(ctx, tx, before, step, advance, reason);
    const current = await stageOfVersion(tx, before, currentVersion ?? 0);
    const prompt = await tx.prompt.update({
      where: { id, tenantId: before.tenantId },
      data: { currentVersion, previousVersions: [...previousVersions], status: current.status },
    });
    const told = () => ctx.services.prompts.forget(ctx.who.tenantId);
    return { result: prompt, id, before: snapshot(before), after: snapshot(prompt), told };
  });
}

async function writeMove(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { id: promptId, tenantId }: Prompt,
  { value, version, from, status: to, supersededBy }: Move,
  { currentVersion, receiptId }: Founded,
  reason: string | null | undefined,
): Promise<void> {
  const rests = value === 'promoted' && receiptId !== null ? { receiptId } : {};
  await tx.promptStage.updateMany({
    where: { promptId, tenantId, version },
    data: { status: to, supersededBy, updatedAt: sharedNow(), ...rests },
  });
  const body = sealedContent(HAPPENING_FIELDS, {
    version,
    from,
    to,
    currentVersion: currentVersion ?? version,
    receiptId: rests.receiptId ?? null,
    reason: reason ?? null,
    actorId: ctx.who.id,
  });
  await appendEntry(ctx, PROMPT_JOURNAL, { value, subject: promptId, body }, { tx });
}

async function stageOfVersion(
  tx: Transaction,
  { id: promptId, tenantId }: Prompt,
  version: number,
): Promise<Stage> {
  return stageOf(await tx.promptStage.findFirstOrThrow({ where: { promptId, tenantId, version } }));
}

function reasonFaults(reason: string | null | undefined): Fault[] {
  const max = PROMPT_BOUNDS.reasonChars;
  return [...length('reason', reason, { max }), ...wellFormed('reason', reason)];
}
