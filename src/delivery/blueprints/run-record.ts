import type { BlueprintRun, Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import { type Actor, audit } from '../../records/audit-trail.js';
import { type Sealed, seal } from '../../records/receipts.js';
import type { TenantScope } from '../../records/scope.js';
import type { StoredBusinessResult } from './business-result.js';
import type { StepToStore, StoredStep } from './step-receipt.js';
import type { InputSource, RunFailure } from './vocabulary.js';

/** The kinds of receipts that runs are sealed under. */
const STEP_RECEIPT = 'blueprint_step';
const RUN_RECEIPT = 'blueprint_run';

/** The input of a run as it is stored. */
export interface StoredInput {
  readonly source: InputSource;
  readonly values: unknown;
}

/** A run that has ended, however it did. */
export interface EndedRun {
  readonly id: string;
  readonly blueprintId: string;
  readonly blueprintVersion: string;
  readonly manifestHash: Uint8Array<ArrayBuffer>;
  readonly input: StoredInput;
  readonly steps: readonly StepToStore[];
  readonly costMicro: bigint;
  readonly result: StoredBusinessResult;
  /** Why the run ended where no step says it. */
  readonly failure: RunFailure | null;
  readonly startedAt: Date;
  readonly actor: Actor;
  readonly requestId: string;
}

/** Writes a run: a sealed receipt for each step, one for the whole, the audit event and the row. */
export async function recordRun(
  scope: TenantScope,
  tx: Transaction,
  run: EndedRun,
): Promise<BlueprintRun> {
  const { id, actor, failure, requestId, costMicro, startedAt } = run;
  const isFailed = failure !== null || run.steps.some((step) => step.status === 'failed');
  const status = isFailed ? 'failed' : 'completed';
  const fallbacks = run.steps.filter(({ fallback }) => fallback).length;
  const facts = {
    run_id: id,
    blueprint_id: run.blueprintId,
    blueprint_version: run.blueprintVersion,
    manifest_hash: Buffer.from(run.manifestHash).toString('hex'),
  };
  await audit({ requestId }, tx, {
    action: 'blueprintRun',
    subject: 'BlueprintRun',
    subjectId: id,
    after: { ...facts, status },
    actor,
  });
  const steps = await sealSteps(scope, tx, run, facts);
  const content = {
    ...facts,
    status,
    ...(failure === null ? {} : { failure }),
    simulated: true,
    input_source: run.input.source,
    cost_micro: costMicro.toString(),
    fallbacks,
    business_result: run.result,
    steps: steps.map(({ id: step, receipt_hash: sha256 }) => ({ step, sha256 })),
  };
  const { receipt } = await seal(scope, RUN_RECEIPT, id, content, { tx });
  return tx.blueprintRun.create({
    data: {
      id,
      tenantId: actor.tenantId,
      blueprintId: run.blueprintId,
      manifestHash: run.manifestHash,
      status,
      failure,
      input: run.input as unknown as Prisma.InputJsonObject,
      steps: steps as unknown as Prisma.InputJsonArray,
      costMicro,
      fallbacks,
      businessResult: run.result as Prisma.InputJsonObject,
      receiptId: receipt.id,
      requestedBy: actor.id,
      startedAt,
    },
  });
}

async function sealSteps(
  scope: TenantScope,
  tx: Transaction,
  run: EndedRun,
  facts: Readonly<Record<string, string>>,
): Promise<StoredStep[]> {
  const steps: StoredStep[] = [];
  for (const step of run.steps) {
    const content = { ...facts, step };
    const { receipt } = await seal(scope, STEP_RECEIPT, `${run.id}:${step.id}`, content, { tx });
    steps.push({ ...step, receipt_id: receipt.id, receipt_hash: hashText(receipt) });
  }
  return steps;
}

function hashText({ sha256 }: Sealed['receipt']): string {
  return Buffer.from(sha256).toString('hex');
}
