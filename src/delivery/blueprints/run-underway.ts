import type { BlueprintRun, BlueprintRunUnderway, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Services, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { named } from '../../platform/database/pool.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { databaseNow } from '../../records/clock.js';
import { despiteErasure, inTransaction, type TenantScope } from '../../records/scope.js';
import { isSimulated } from './business-result.js';
import { manifestHash } from './catalogue.js';
import type { Manifest } from './manifest.js';
import {
  type EndedRun,
  hex,
  keptResult,
  openedResult,
  openedSteps,
  recordRun,
} from './run-record.js';
import {
  type BusinessResult,
  type KeptInput,
  type KeptStep,
  STEP,
  type UNDERWAY,
} from './run-tables.js';

/** A run is taken for dead when its process has been silent for so long, in milliseconds. */
const SILENT_MS_MAX = 60_000;
const RENEW_EVERY_MS = 15_000;

/** What is known of a run when it begins. */
export interface BegunRun {
  readonly id: string;
  readonly manifest: Manifest;
  readonly input: KeptInput;
  /** What it is worth where it never ends. */
  readonly nothing: BusinessResult;
  readonly startedAt: Date;
}

/**
 * Writes that a run goes on, before anything of it is billed. Under a key its id is that of an
 * earlier attempt whose process is gone: the run is made again then, and its steps find by their
 * own ids what they were answered.
 */
export async function beginRun(ctx: AuthorizedCtx, begun: BegunRun): Promise<void> {
  const { id, manifest, input, nothing, startedAt } = begun;
  const { who, requestId } = ctx;
  const { tenantId } = who;
  await inTransaction(ctx, {}, async (tx) => {
    const aliveUntil = await silentUntil(tx);
    const again = { steps: [], requestId, startedAt, aliveUntil };
    const { count } = await tx.blueprintRunUnderway.createMany({
      data: [
        {
          ...{ id, tenantId, blueprintId: manifest.id, blueprintVersion: manifest.version },
          manifestHash: new Uint8Array(manifestHash(manifest)),
          input: input as Prisma.InputJsonObject,
          // Facts may be taken from the input, which stands in no open column.
          businessResult: keptResult({ ...nothing, facts: null }),
          requestedBy: who.id,
          requestedByKind: who.kind,
          projectId: who.projectId,
          ...again,
        },
      ],
      skipDuplicates: true,
    });
    if (count === 0) {
      await tx.blueprintRunUnderway.update({ where: { id, tenantId }, data: again });
    }
  });
}

/** Says that a run goes on, and with which steps it has got so far. */
export async function keepRun(
  ctx: AuthorizedCtx,
  id: string,
  steps?: readonly KeptStep[],
): Promise<void> {
  const kept = steps?.map((each) => sealedContent(STEP.fields, each));
  const { tenantId } = ctx.who;
  const write = async (tx: Transaction) => {
    const alive = await tx.$executeRaw`
      UPDATE blueprint_run_underway
      SET alive_until = clock_timestamp() + make_interval(secs => ${SILENT_MS_MAX / 1_000})
      WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid`;
    if (alive === 0 || kept === undefined) return;
    const data = { steps: kept as Prisma.InputJsonArray };
    await tx.blueprintRunUnderway.update({ where: { id, tenantId }, data });
  };
  await despiteErasure(ctx, () => inTransaction(ctx, {}, write));
}

async function silentUntil(tx: Transaction): Promise<Date> {
  return new Date((await databaseNow(tx)).getTime() + SILENT_MS_MAX);
}

/** Does the work of a run, and says every 15 s that it goes on. */
export async function keptAlive<T>(
  ctx: AuthorizedCtx,
  id: string,
  work: () => Promise<T>,
): Promise<T> {
  const timer = setInterval(() => {
    keepRun(ctx, id).catch((error: unknown) => {
      ctx.services.log.warn({ err: error, run: id }, 'a blueprint run could not be renewed');
    });
  }, RENEW_EVERY_MS).unref();
  try {
    return await work();
  } finally {
    clearInterval(timer);
  }
}

/**
 * Ends a run in one transaction, unless it was taken for dead meanwhile: then it has ended, and is
 * answered as it did. What was erased since it began is not written anew.
 */
export function endRun(scope: TenantScope, run: EndedRun): Promise<BlueprintRun> {
  const where = { id: run.id, tenantId: run.actor.tenantId };
  const end = async (tx: Transaction) => {
    const begun = await tx.blueprintRunUnderway.findFirst({ where });
    const { count } = await tx.blueprintRunUnderway.deleteMany({ where });
    if (count === 0) return tx.blueprintRun.findFirstOrThrow({ where });
    return recordRun(scope, tx, begun && isErased(begun, 'input') ? withoutData(run) : run);
  };
  return despiteErasure(scope, () => inTransaction(scope, {}, end));
}

function withoutData(run: EndedRun): EndedRun {
  return {
    ...run,
    input: { ...ERASED_INPUT, source: run.input.source },
    steps: run.steps.map((step) => ({ ...step, output: null })),
    result: { ...run.result, facts: null },
  };
}

/** A run that has lost its input to an erasure ends without it. */
const ERASED_INPUT: KeptInput = { source: 'given', values: null };

const SHOWN_MAX = 200;

/** Runs of the tenant that go on, newest first, at most 200. */
export async function runsUnderway(
  ctx: AuthorizedCtx,
): Promise<ValuesOf<typeof UNDERWAY.fields>[]> {
  const rows = await database(ctx).blueprintRunUnderway.findMany({
    orderBy: { id: 'desc' },
    take: SHOWN_MAX,
  });
  return rows.map((row) => ({
    ...row,
    runId: row.id,
    manifestHash: hex(row.manifestHash),
    stepsEnded: openedSteps(STEP.fields, row.steps ?? []).map(({ step }) => step),
  }));
}

const SWEEP_ROWS = 20;

/** Runs whose process has died. */
export const LOST_RUNS = 'FROM blueprint_run_underway WHERE alive_until <= clock_timestamp()';
const LOST_SQL = `SELECT id, tenant_id AS "tenantId" ${LOST_RUNS}
  ORDER BY alive_until LIMIT ${SWEEP_ROWS}`;

/**
 * Ends runs whose process has died as failed by `node_lost`, at most 20 at once, with the steps
 * that had ended and whatever usage says that the run has cost. Any number of nodes may sweep.
 * @returns how many it looked at
 */
export async function endLostRuns(services: Services): Promise<number> {
  const { platformPool, log } = services;
  type Lost = { readonly id: string; readonly tenantId: string };
  const { rows } = await named<Lost>(platformPool, 'blueprint_runs_lost', LOST_SQL, []);
  for (const { id, tenantId } of rows) {
    const scope = { services, who: { tenantId } };
    try {
      await inTransaction(scope, {}, (tx) => endLost(scope, tx, id));
    } catch (error) {
      // One run that cannot be ended must not keep the others from it.
      const code = error instanceof GatewayError ? error.code : undefined;
      log.error({ err: error, code, run: id }, 'a lost blueprint run could not be ended');
    }
  }
  return rows.length;
}

async function endLost(scope: TenantScope, tx: Transaction, id: string): Promise<void> {
  const { tenantId } = scope.who;
  const row = await tx.blueprintRunUnderway.findFirst({ where: { id, tenantId } });
  // A process that was only slow has renewed its run, and another node may have ended it.
  const taken = await tx.$executeRaw`
    DELETE FROM blueprint_run_underway
    WHERE id = ${id}::uuid AND tenant_id = ${tenantId}::uuid AND alive_until <= clock_timestamp()`;
  if (row && taken === 1) await recordRun(scope, tx, await lostRun(tx, row));
}

async function lostRun(tx: Transaction, row: BlueprintRunUnderway): Promise<EndedRun> {
  const kind = row.requestedByKind === 'user' ? 'user' : 'api_key';
  const steps = openedSteps(STEP.fields, row.steps ?? []);
  return {
    id: row.id,
    blueprintId: row.blueprintId,
    blueprintVersion: row.blueprintVersion,
    manifestHash: new Uint8Array(row.manifestHash),
    projectId: row.projectId,
    input: (row.input ?? ERASED_INPUT) as unknown as KeptInput,
    steps,
    costMicro: await billed(tx, row),
    result: { ...openedResult(row.businessResult), simulated: isSimulated(steps) },
    failure: 'node_lost',
    startedAt: row.startedAt,
    actor: { kind, id: row.requestedBy, tenantId: row.tenantId },
    requestId: row.requestId,
  };
}

const CLOCKS_APART_MS_MAX = 3_600_000;

/** The step that was under way when the process died is billed as well. */
async function billed(tx: Transaction, { id, tenantId, startedAt }: BlueprintRunUnderway) {
  const { _sum: sum } = await tx.usageEvent.aggregate({
    where: {
      tenantId,
      // The clock of the node that wrote the start may be ahead of the database's.
      createdAt: { gte: new Date(startedAt.getTime() - CLOCKS_APART_MS_MAX) },
      metadata: { path: [RUN_KEY], equals: id } satisfies Prisma.JsonFilter,
    },
    _sum: { amountMicro: true },
  });
  return sum.amountMicro ?? 0n;
}

/** The member of `metadata` by which usage names the run that a request belongs to. */
export const RUN_KEY = 'blueprint_run';
