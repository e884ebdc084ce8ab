import { TOOL, type ToolVersion, toolVersionOf } from '../../actions/tools/registry.js';
import type { BlueprintRun, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import { audit } from '../../records/audit-trail.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { type Sealed, seal } from '../../records/receipts.js';
import { inTransaction } from '../../records/scope.js';
import { businessResult } from './business-result.js';
import { blueprintById, manifestHash } from './catalogue.js';
import { inputFaults, metadataFaults } from './input.js';
import type { Manifest } from './manifest.js';
import { type RanSteps, runSteps } from './run-steps.js';
import { fellBack, type StoredStep, storedStep } from './step-receipt.js';
import { storable } from './storable.js';

/** The kinds of receipts that runs are sealed under. */
const STEP_RECEIPT = 'blueprint_step';
const RUN_RECEIPT = 'blueprint_run';

/** A run as it is asked for. */
export interface RunInput {
  readonly id: string;
  /** Absent for the example of the manifest. */
  readonly input?: unknown;
  /** Further members of `metadata` of the requests to models. */
  readonly metadata?: unknown;
}

/**
 * Runs a blueprint in the sandbox: models are simulated, and everything else is real, from routing
 * and firewall to the charge. A step that fails is data of the run. The run, a sealed receipt for
 * each step and one for the whole are written together when it has ended.
 * @throws blueprint_unknown, blueprint_sandbox_off, invalid_request with every fault
 */
export async function runBlueprint(ctx: AuthorizedCtx, asked: RunInput): Promise<BlueprintRun> {
  const manifest = blueprintById(asked.id);
  if (!ctx.services.config.GW_SANDBOX) fail('blueprint_sandbox_off');
  const isGiven = asked.input !== undefined && asked.input !== null;
  const input = isGiven ? asked.input : manifest.example_input;
  const metadata = asked.metadata ?? {};
  failOnFaults([...inputFaults(manifest.input_schema, input), ...metadataFaults(metadata)]);
  const before = await runBefore(ctx);
  if (before) return before;
  const startedAt = new Date();
  const facts = { manifest, metadata: metadata as Readonly<Record<string, string>> };
  const tools = await toolsOf(ctx, manifest);
  const ran = await runSteps(ctx, facts, input as JsonObject, tools);
  const source = isGiven ? 'given' : 'example';
  return inTransaction(ctx, {}, (tx) => record(ctx, tx, { manifest, ran, startedAt, source }));
}

/** The run that an earlier attempt of the same keyed request has recorded. */
async function runBefore(ctx: AuthorizedCtx): Promise<BlueprintRun | null> {
  if (!ctx.keyed?.repeated) return null;
  return database(ctx).blueprintRun.findFirst({ where: { id: idUnderKey(ctx, 'BlueprintRun') } });
}

/** The contracts in force of the tools that the manifest names. */
async function toolsOf(ctx: AuthorizedCtx, { tools }: Manifest) {
  const rows = await database(ctx).contractVersion.findMany({
    where: { kind: TOOL, contractKey: { in: tools.map(({ tool_key: key }) => key) } },
    orderBy: { version: 'desc' },
    distinct: ['contractKey'],
  });
  const versions = rows.map(toolVersionOf);
  return new Map<string, ToolVersion>(versions.map((tool) => [tool.contract.toolKey, tool]));
}

interface Ended {
  readonly manifest: Manifest;
  readonly ran: RanSteps;
  readonly startedAt: Date;
  readonly source: string;
}

async function record(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { manifest, ran, startedAt, source }: Ended,
): Promise<BlueprintRun> {
  const id = idUnderKey(ctx, 'BlueprintRun');
  const hash = manifestHash(manifest);
  const status = ran.steps.some((step) => step.status === 'failed') ? 'failed' : 'completed';
  const facts = {
    run_id: id,
    blueprint_id: manifest.id,
    blueprint_version: manifest.version,
    manifest_hash: Buffer.from(hash).toString('hex'),
  };
  const result = businessResult(manifest.business_result, ran.values, ran.costMicro);
  const fallbacks = ran.steps.filter(fellBack).length;
  await audit(ctx, tx, {
    action: 'blueprintRun',
    subject: 'BlueprintRun',
    subjectId: id,
    after: { ...facts, status },
  });
  const steps: StoredStep[] = [];
  for (const step of ran.steps) {
    const stored = storedStep(step);
    const content = { ...facts, step: stored };
    const { receipt } = await seal(ctx, STEP_RECEIPT, `${id}:${step.id}`, content, { tx });
    steps.push({ ...stored, receipt_id: receipt.id, receipt_hash: hashText(receipt) });
  }
  const content = {
    ...facts,
    status,
    simulated: true,
    input_source: source,
    cost_micro: ran.costMicro.toString(),
    fallbacks,
    business_result: result,
    steps: steps.map(({ id: step, receipt_hash: sha256 }) => ({ step, sha256 })),
  };
  const { receipt } = await seal(ctx, RUN_RECEIPT, id, content, { tx });
  return tx.blueprintRun.create({
    data: {
      id,
      tenantId: ctx.who.tenantId,
      blueprintId: manifest.id,
      manifestHash: hash,
      status,
      input: { source, values: storable(ran.values.input) } as Prisma.InputJsonObject,
      steps: steps as unknown as Prisma.InputJsonArray,
      costMicro: ran.costMicro,
      fallbacks,
      businessResult: result as Prisma.InputJsonObject,
      receiptId: receipt.id,
      requestedBy: ctx.who.id,
      startedAt,
    },
  });
}

function hashText({ sha256 }: Sealed['receipt']): string {
  return Buffer.from(sha256).toString('hex');
}

/** A run of the tenant. @throws not_found */
export async function runById(ctx: AuthorizedCtx, id: string): Promise<BlueprintRun> {
  const found = await database(ctx).blueprintRun.findFirst({ where: { id } });
  return found ?? fail('not_found', { values: { subject: 'blueprint run', id }, param: 'id' });
}
