import type { BlueprintRun, Prisma } from '../../generated/prisma/client.js';
import type { Transaction } from '../../graph/ctx.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent, sealedContent } from '../../kernel/fields/sealed.js';
import { isErased } from '../../platform/database/sealed-columns.js';
import { type Actor, audit } from '../../records/audit-trail.js';
import type { TenantScope } from '../../records/scope.js';
import { isSimulated } from './business-result.js';
import {
  formerResult,
  formerStep,
  RUN_FACTS,
  RUN_RECEIPTS,
  type RunFacts,
  STEP_RECEIPTS,
} from './receipts.js';
import {
  BUSINESS_RESULT,
  type BusinessResult,
  type KeptInput,
  type KeptStep,
  type RUN_FIELDS,
  SEALED_STEP,
  type SealedStep,
  type STEP,
} from './run-tables.js';
import { RUN_FAILURES, RUN_STATUSES, type RunFailure } from './vocabulary.js';

/** A run that has ended, however it did. */
export interface EndedRun
  extends Pick<
    BlueprintRun,
    'id' | 'blueprintId' | 'manifestHash' | 'projectId' | 'costMicro' | 'startedAt'
  > {
  readonly blueprintVersion: string;
  readonly input: KeptInput;
  readonly steps: readonly KeptStep[];
  readonly result: BusinessResult;
  /** Why the run ended where no step says it. */
  readonly failure: RunFailure | null;
  readonly actor: Actor;
  readonly requestId: string;
}

/** Writes a run: a sealed receipt for each step, one for the whole, the audit event and the row. */
export async function recordRun(
  scope: TenantScope,
  tx: Transaction,
  run: EndedRun,
): Promise<BlueprintRun> {
  const { id, blueprintId, blueprintVersion, manifestHash, actor, requestId } = run;
  const { input, failure, costMicro, result: businessResult, startedAt } = run;
  const isFailed = failure !== null || run.steps.some((step) => step.status === 'failed');
  const status = isFailed ? ('failed' as const) : ('completed' as const);
  const fallbacks = run.steps.filter(({ fallback }) => fallback).length;
  const facts = { runId: id, blueprintId, blueprintVersion, manifestHash: hex(manifestHash) };
  await audit({ requestId }, tx, {
    action: 'blueprintRun',
    subject: 'BlueprintRun',
    subjectId: id,
    after: { ...sealedContent(RUN_FACTS, facts), status },
    actor,
  });
  const steps = await sealSteps(scope, tx, run, facts);
  const inputSource = input.source;
  const simulated = isSimulated(run.steps);
  const verdict = { status, failure, simulated, inputSource, costMicro, fallbacks };
  const named = steps.map(({ step, receiptHash }) => ({ step, sha256: receiptHash }));
  const content = { ...facts, ...verdict, businessResult, steps: named };
  const receipt = await RUN_RECEIPTS.seal(scope, id, content, { tx });
  return tx.blueprintRun.create({
    data: {
      id,
      tenantId: actor.tenantId,
      blueprintId,
      manifestHash,
      status,
      failure,
      input: input as Prisma.InputJsonObject,
      steps: steps.map((each) => sealedContent(SEALED_STEP.fields, each)) as Prisma.InputJsonArray,
      costMicro,
      fallbacks,
      businessResult: keptResult(businessResult),
      receiptId: receipt.id,
      requestedBy: actor.id,
      projectId: run.projectId,
      proof: businessResult.proof,
      achieved: businessResult.achieved,
      simulated,
      checksFailed: failedChecks(businessResult),
      startedAt,
    },
  });
}

function failedChecks({ checks }: BusinessResult): string[] {
  return (checks ?? []).flatMap(({ code, result }) => (result === 'failed' ? [code] : []));
}

async function sealSteps(
  scope: TenantScope,
  tx: Transaction,
  run: EndedRun,
  facts: RunFacts,
): Promise<SealedStep[]> {
  const steps: SealedStep[] = [];
  for (const step of run.steps) {
    const key = `${run.id}:${step.step}`;
    const { id, row } = await STEP_RECEIPTS.seal(scope, key, { ...facts, step }, { tx });
    steps.push({ ...step, receiptId: id, receiptHash: hex(row.sha256) });
  }
  return steps;
}

/** A business result as rows keep it. */
export function keptResult(result: BusinessResult): Prisma.InputJsonObject {
  return sealedContent(BUSINESS_RESULT.fields, result) as Prisma.InputJsonObject;
}

/** A business result that a row keeps, also under the names that it had before. */
export function openedResult(kept: unknown): BusinessResult {
  return openedContent(BUSINESS_RESULT.fields, formerResult(kept as SealedContent));
}

/** Steps that a row keeps, also under the names that they had before. */
export function openedSteps<F extends typeof STEP.fields>(fields: F, kept: unknown) {
  const contents = kept as readonly SealedContent[];
  return contents.map((each) => openedContent(fields, formerStep(each)));
}

const NO_INPUT = { source: null, values: null } as const;

/** A recorded run as it is shown. What its row keeps as JSON is read when it is asked for. */
export function shownRun(row: BlueprintRun): ValuesOf<typeof RUN_FIELDS> {
  const { source, values } = (row.input ?? NO_INPUT) as unknown as KeptInput | typeof NO_INPUT;
  return {
    ...row,
    // A run that was under way at an erasure has kept its source alone.
    erased: isErased(row, 'input', 'steps', 'businessResult') || values === null,
    manifestHash: hex(row.manifestHash),
    status: RUN_STATUSES.parse(row.status),
    failure: row.failure === null ? null : RUN_FAILURES.parse(row.failure),
    inputSource: source,
    input: values,
    get steps() {
      return row.steps === null ? null : openedSteps(SEALED_STEP.fields, row.steps);
    },
    get simulated() {
      return this.steps && isSimulated(this.steps);
    },
    get businessResult() {
      return row.businessResult === null ? null : openedResult(row.businessResult);
    },
  };
}

/** A hash as hexadecimal digits. */
export function hex(hash: Uint8Array): string {
  return Buffer.from(hash).toString('hex');
}
