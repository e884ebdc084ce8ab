import type { Prisma, PromptEvaluation } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { refusal } from '../../graph/node.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import { requireCaseSet } from '../../prompts/evaluations/case-sets.js';
import { EVALUATION_INPUT, TARGET } from '../../prompts/evaluations/tables.js';
import { EVALUATION_BOUNDS } from '../../prompts/evaluations/vocabulary.js';
import { requireVersion, stageToPromote } from '../../prompts/packages/stored.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { namesOf, plannedCases, plannedTargets, type RunPlan } from './plan.js';
import { SILENT_MS_MAX } from './record.js';

/**
 * Starts an evaluation: its row is committed before anything of it is billed, then the cases are
 * run beside the request.
 * @throws invalid_request with every fault, not_found, prompt_without_version,
 * prompt_without_cases, prompt_cases_erased, prompt_evaluations_busy, permission_denied
 */
export async function startEvaluation(
  ctx: AuthorizedCtx,
  promptId: string,
  given: GivenValues,
): Promise<PromptEvaluation> {
  if (!ctx.who.permissions.has('inference.run')) throw refusal(ctx, 'inference.run');
  const input = inputValues(EVALUATION_INPUT.fields, given);
  failOnFaults(inputFaults(EVALUATION_INPUT.fields, input, 'input'));
  const prompt = await requireOwn(ctx, 'Prompt', promptId, { param: 'promptId' });
  const { version: number } = await stageToPromote(database(ctx), prompt, input.version);
  const version = await requireVersion(ctx, promptId, number);
  const set = await requireCaseSet(ctx, promptId, input.caseSetVersion);
  const targets = await plannedTargets(ctx, version, input.models, set.caseCount);
  const versions = await database(ctx).promptVersion.findMany({
    where: { promptId, tenantId: ctx.who.tenantId },
    select: { variables: true },
  });
  const cases = await plannedCases(set, version, new Set(versions.flatMap(namesOf)));
  const id = newId('PromptEvaluation');
  const { budgetMicro } = input;
  const contentHash = Buffer.from(version.contentHash).toString('hex');
  const { promptKey } = prompt;
  const plan: RunPlan = {
    ...{ id, promptKey, version: number, contentHash, cases, targets, budgetMicro },
  };
  const name = { action: 'promptEvaluationStart', subject: 'PromptEvaluation' };
  return change(ctx, name, async (tx) => {
    await requireRoom(ctx, tx);
    const kept = targets.map((each) => sealedContent(TARGET.fields, each));
    const row = await tx.promptEvaluation.create({
      data: {
        ...{ id, promptId, tenantId: ctx.who.tenantId, budgetMicro },
        promptVersion: number,
        contentHash: version.contentHash,
        caseSetId: set.id,
        caseSetVersion: set.version,
        caseSetHash: set.contentHash,
        targets: kept as unknown as Prisma.InputJsonArray,
        resultsPlanned: cases.length * targets.length,
        requestedBy: ctx.who.id,
        requestId: ctx.requestId,
        aliveUntil: new Date((await databaseNow(tx)).getTime() + SILENT_MS_MAX),
      },
    });
    const after = { prompt_id: promptId, version: number, case_set: set.version, targets: kept };
    const told = () => ctx.services.promptEvaluations.begin(ctx, plan);
    return { result: row, id, after, told };
  });
}

/** Few runs go on at once; of two that start together the second sees the first. */
async function requireRoom({ who }: AuthorizedCtx, tx: Transaction): Promise<void> {
  const { running: max } = EVALUATION_BOUNDS;
  await tx.$queryRaw`
    SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(${`evaluations ${who.tenantId}`}, 0))`;
  const where = { tenantId: who.tenantId, status: 'running' };
  const running = await tx.promptEvaluation.count({ where });
  if (running >= max) fail('prompt_evaluations_busy', { values: { max } });
}

/**
 * Asks a run to end, on whichever node it is. One that was asked already, or has ended, is returned
 * as it is.
 * @throws not_found
 */
export async function cancelEvaluation(ctx: AuthorizedCtx, id: string): Promise<PromptEvaluation> {
  const name = { action: 'promptEvaluationCancel', subject: 'PromptEvaluation' };
  return change(ctx, name, async (tx) => {
    const before = await lockOwn(ctx, tx, 'PromptEvaluation', id);
    const { status, tenantId } = before;
    if (status !== 'running' || before.cancelRequestedAt) return { result: before };
    const data = { cancelRequestedAt: sharedNow() };
    const row = await tx.promptEvaluation.update({ where: { id, tenantId }, data });
    const told = () => ctx.services.promptEvaluations.cancel(id);
    return { result: row, id, before: { status }, after: { status, cancel: true }, told };
  });
}
