import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { MigrationCheckRun, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { Sealable } from '../../kernel/canonical.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { length } from '../../kernel/errors/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { isUuid } from '../../kernel/ids.js';
import { formatRub } from '../../kernel/money.js';
import { change } from '../../records/change.js';
import { eventFeed, publish } from '../../records/feed.js';
import { idUnderKey, keyedPart } from '../../records/keyed-ids.js';
import { inTransaction, type WriteOptions } from '../../records/scope.js';
import { probe } from './probe.js';
import {
  bodyOf,
  firstEmbeddingsModel,
  judge,
  judgeSilence,
  type Models,
  type Probed,
  runStatus,
} from './rules.js';
import { CHECK, type CheckResult } from './tables.js';
import { CHECKS, type CheckCode, type CheckEvent, MODEL_LENGTH_MAX } from './vocabulary.js';

/** The feed of all checks of a tenant; its subject ids are those of the runs. */
export const CHECK_FEED = eventFeed('migration_checks');

type Check = (typeof CHECKS.rows)[number];

/** A run under way. */
interface Run {
  readonly id: string;
  readonly ctx: AuthorizedCtx;
  readonly authorization: string;
  readonly results: CheckResult[];
  models: Models;
}

/**
 * Runs all checks against this server with the caller's own credential, one after the other. Each
 * is a real request, billed as any other, and its usage says that it is no live traffic. A client
 * that goes away stops what has not begun.
 * @param model what chats and @param embeddingsModel what embeds; left out, each has a default
 * @throws invalid_request for names of models that are too long
 */
export async function runChecks(
  ctx: AuthorizedCtx,
  model?: string | null,
  embeddingsModel?: string | null,
): Promise<MigrationCheckRun> {
  failOnFaults([
    ...length('model', model, NAME),
    ...length('embeddingsModel', embeddingsModel, NAME),
  ]);
  const { authorization } = ctx;
  if (authorization === undefined) return fail('missing_credential');
  const id = idUnderKey(ctx, 'MigrationCheckRun');
  const before = ctx.keyed?.repeated ? await recordedRun(ctx, id) : null;
  if (before) return before;
  const startedAt = sharedNow();
  const models = { chat: model ?? AUTO_MODEL, embeddings: embeddingsModel ?? undefined };
  const run: Run = { id, ctx, authorization, results: [], models };
  await tell(run, 'started', { checks: CHECKS.codes, model: models.chat });
  for (const check of CHECKS.rows) {
    const result = await runCheck(run, check);
    run.results.push(result);
    await tell(run, 'checked', sealedContent(CHECK.fields, result));
  }
  return record(run, startedAt);
}

/** The run that an earlier attempt of the same keyed request has recorded. */
function recordedRun(ctx: AuthorizedCtx, id: string): Promise<MigrationCheckRun | null> {
  return database(ctx).migrationCheckRun.findFirst({ where: { id } });
}

const NAME = { min: 1, max: MODEL_LENGTH_MAX };

async function runCheck(run: Run, check: Check): Promise<CheckResult> {
  const { ctx, authorization, models } = run;
  const skipped = reasonToSkip(run, check);
  if (skipped !== undefined) return skippedCheck(check.code, skipped);
  const probed = await probe({
    url: ctx.services.ownAddress.get() + check.path,
    method: check.method,
    authorization,
    mark: ctx.services.ownAddress.mark,
    body: bodyOf(check.code, models),
    // A check of a keyed run is asked once, too.
    key: keyedPart(ctx, check.code)?.effectId,
    workspace: ctx.transport.workspace,
    signal: ctx.signal,
  });
  const { answer, latencyMs, requestId } = probed;
  if (probed.failure === 'aborted') return skippedCheck(check.code, CLIENT_AWAY);
  if (check.code === 'models' && answer && models.embeddings === undefined) {
    run.models = { ...models, embeddings: firstEmbeddingsModel(answer) };
  }
  const judged = answer ? judge(check.code, answer, models) : judgeSilence(probed.failure);
  const { costMicro, simulated } = await usageOf(run, check, probed);
  return {
    code: check.code,
    status: judged.status,
    message: judged.message,
    fix: judged.fix ?? null,
    latencyMs,
    statusCode: answer?.status ?? null,
    requestId: requestId ?? null,
    evidence: judged.evidence,
    simulated,
    costMicro,
  };
}

const CLIENT_AWAY = 'The client went away before this check was done.';

function reasonToSkip({ ctx, results, models }: Run, check: Check): string | undefined {
  if (ctx.signal.aborted) return CLIENT_AWAY;
  const needed = results.find(({ code }) => code === check.needs);
  if (needed && needed.status !== 'pass') return `The check ${needed.code} did not pass.`;
  if (check.code !== 'embeddings' || models.embeddings !== undefined) return undefined;
  return 'No model of embeddings is among the models that can be asked for.';
}

function skippedCheck(code: CheckCode, message: string): CheckResult {
  const nothing = { fix: null, latencyMs: null, statusCode: null, requestId: null };
  const unasked = { evidence: {}, simulated: false, costMicro: 0n };
  return { code, status: 'skipped', message, ...nothing, ...unasked };
}

/**
 * What the ledger took for the request of a check, and whether a simulated model answered it. A
 * request without a usage row was free and reached no model.
 */
async function usageOf(
  { ctx }: Run,
  check: Check,
  { requestId }: Probed,
): Promise<Pick<CheckResult, 'costMicro' | 'simulated'>> {
  if (!check.billed) return { costMicro: 0n, simulated: false };
  if (requestId === undefined || !isUuid(requestId)) return { costMicro: null, simulated: false };
  const usage = await database(ctx).usageEvent.findFirst({
    where: { id: requestId },
    select: { amountMicro: true, simulated: true },
  });
  return { costMicro: usage?.amountMicro ?? 0n, simulated: usage?.simulated ?? false };
}

/** Tells the feed. The payload never holds a credential. */
function tell(
  { ctx, id: subjectId }: Run,
  type: CheckEvent,
  payload: { readonly [name: string]: Sealable },
  options: WriteOptions = {},
): Promise<void> {
  const { tenantId } = ctx.who;
  const event = { tenantId, feed: CHECK_FEED.name, type, subjectId, payload };
  return inTransaction(ctx, options, (tx) => publish(tx, event));
}

/** Keeps the run, its audit event and its last news together. */
function record(run: Run, startedAt: Date): Promise<MigrationCheckRun> {
  const { id, ctx, results } = run;
  const { who, requestId } = ctx;
  const status = runStatus(results, ctx.signal.aborted);
  const costMicro = results.reduce((sum, result) => sum + (result.costMicro ?? 0n), 0n);
  const checks = results.map((each) => sealedContent(CHECK.fields, each));
  const name = { action: 'migrationCheckRun', subject: 'MigrationCheckRun' };
  return change(ctx, name, async (tx) => {
    const result = await tx.migrationCheckRun.create({
      data: {
        id,
        tenantId: who.tenantId,
        callerKind: who.kind,
        callerId: who.id,
        checks: checks as Prisma.InputJsonArray,
        requestId,
        status,
        costMicro,
        startedAt,
      },
    });
    await tell(run, 'finished', { status, cost_rub: formatRub(costMicro) }, { tx });
    return { result, id, after: { id, status, checks } };
  });
}
