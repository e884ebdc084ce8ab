import type { BlueprintRun } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { sharedNow } from '../../kernel/clock.js';
import { type Fault, failOnFaults } from '../../kernel/errors/fail.js';
import { count, fault } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import { businessResult } from './business-result.js';
import { manifestHash } from './catalogue.js';
import { isPublished } from './golden.rules.js';
import { readInjections } from './injection.js';
import type { RunFacts } from './llm-step.js';
import type { Manifest } from './manifest.js';
import { MANIFEST_SCHEMAS } from './manifest-schema.js';
import { modelFaults, modelsOfRun } from './run-models.js';
import { runSteps } from './run-steps.js';
import type { KeptInput, KeptStep } from './run-tables.js';
import { beginRun, endRun, keepRun, keptAlive, RUN_KEY } from './run-underway.js';
import { manifestById, toolsOf } from './service.js';
import { keptStep, type StepRecord, storable } from './storable.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** A run as it is asked for. */
export interface RunInput {
  readonly id: string;
  /** Absent for the example of the manifest. */
  readonly input?: unknown;
  /** Further members of `metadata` of the requests to models. */
  readonly metadata?: unknown;
  /** Absent for the models of the sandbox that the manifest names. */
  readonly model?: string | null;
  /** Asked where `model` fails in a way in which another one may not. */
  readonly fallbackModel?: string | null;
}

/**
 * Runs a blueprint in the sandbox, where models are simulated, or with models that are named.
 * Everything else is real, from routing and firewall to the charge. A step that fails is data of
 * the run. That it goes on is written before anything is billed; the run, a sealed receipt for each
 * step and one for the whole are written together when it has ended.
 * @throws blueprint_unknown, blueprint_sandbox_off, blueprint_model_unfit, invalid_request with
 * every fault
 */
export async function runBlueprint(ctx: AuthorizedCtx, asked: RunInput): Promise<BlueprintRun> {
  const manifest = await manifestById(ctx, asked.id);
  const input = asked.input ?? manifest.example_input;
  const metadata = asked.metadata ?? {};
  failOnFaults([
    ...inputFaults(manifest.input_schema, input),
    ...metadataFaults(metadata),
    ...modelFaults(asked),
  ]);
  const models = await modelsOfRun(ctx, manifest, asked);
  return (
    (await runBefore(ctx)) ??
    (await runWith(ctx, manifest, input as JsonObject, {
      source: sourceOf(manifest, asked),
      values: await storable(input, ctx.who.tenantId),
      metadata: { ...models.metadata, ...(metadata as Readonly<Record<string, string>>) },
      models: models.ids,
    }))
  );
}

function sourceOf(manifest: Manifest, { input }: RunInput): KeptInput['source'] {
  if (input == null) return 'example';
  return isPublished(manifest, input as JsonObject) ? 'published' : 'given';
}

async function runWith(
  ctx: AuthorizedCtx,
  manifest: Manifest,
  input: JsonObject,
  { metadata, models, ...stored }: KeptInput & Pick<RunFacts, 'metadata' | 'models'>,
): Promise<BlueprintRun> {
  const id = idUnderKey(ctx, 'BlueprintRun');
  const startedAt = sharedNow();
  const tools = new Map(
    (await toolsOf(ctx, manifest)).map((tool) => [tool.contract.toolKey, tool]),
  );
  const { tenantId } = ctx.who;
  const judged = { manifest, isPublished: stored.source !== 'given' };
  const injectionFree = new Map<string, boolean>();
  const values = { input, outputs: new Map(), injectionFree };
  await readInjections(manifest, values, () => tenantId);
  const begun = { values, steps: [], costMicro: 0n };
  const nothing = { ...businessResult({ ...judged, ...begun }), facts: null };
  await beginRun(ctx, { id, manifest, input: stored, nothing, startedAt });
  return keptAlive(ctx, id, async () => {
    const facts = { manifest, models, metadata: { ...metadata, [RUN_KEY]: id } };
    const kept = new Map<StepRecord, Promise<KeptStep>>();
    const keep = (steps: readonly StepRecord[]) =>
      Promise.all(
        steps.map((step) => {
          const known = kept.get(step) ?? keptStep(step, tenantId);
          kept.set(step, known);
          return known;
        }),
      );
    const told = async (steps: readonly StepRecord[]) => keepRun(ctx, id, await keep(steps));
    const ran = await runSteps(ctx, facts, input, { tools, told, injectionFree });
    const { steps, costMicro } = ran;
    const result = businessResult({ ...judged, ...ran });
    return endRun(ctx, {
      id,
      blueprintId: manifest.id,
      blueprintVersion: manifest.version,
      manifestHash: manifestHash(manifest),
      projectId: ctx.who.projectId,
      input: stored,
      steps: await keep(steps),
      costMicro,
      result: { ...result, facts: await storable(result.facts, tenantId) },
      failure: null,
      startedAt,
      actor: ctx.who,
      requestId: ctx.requestId,
    });
  });
}

/** The run that an earlier attempt of the same keyed request has recorded. */
async function runBefore(ctx: AuthorizedCtx): Promise<BlueprintRun | null> {
  if (!ctx.keyed?.repeated) return null;
  return database(ctx).blueprintRun.findFirst({ where: { id: idUnderKey(ctx, 'BlueprintRun') } });
}

/** Every fault of the input of a run, under `input.<name>`. */
function inputFaults(schema: JsonObject, input: unknown): Fault[] {
  const { inputBytesMax } = BLUEPRINT_BOUNDS;
  if (Buffer.byteLength(JSON.stringify(input)) <= inputBytesMax) {
    return MANIFEST_SCHEMAS.valueFaults(schema, input, 'input');
  }
  return [fault('input', 'out_of_range', `must have at most ${inputBytesMax} bytes as JSON`)];
}

/** Every fault of the metadata of a run: a few short texts, and not the feature. */
function metadataFaults(given: unknown): Fault[] {
  const metadata = asObject(given);
  if (!metadata) return [fault('metadata', 'wrong_type', 'must be an object')];
  const { metadataEntriesMax, metadataCharactersMax: max } = BLUEPRINT_BOUNDS;
  const entries = Object.entries(metadata);
  const tooMany = count('metadata', entries, { max: metadataEntriesMax }, 'entries');
  if (tooMany.length > 0) return tooMany;
  return entries.flatMap(([name, value]): Fault[] => {
    const path = `metadata.${name}`;
    const reserved = RESERVED.get(name);
    if (reserved !== undefined) {
      return [fault(path, 'invalid', `cannot be given: it is ${reserved}`)];
    }
    if (typeof value === 'string' && value.length <= max) return [];
    const code = typeof value === 'string' ? 'out_of_range' : 'wrong_type';
    return [fault(path, code, `must be a text of at most ${max} characters`)];
  });
}

/** What a run decides by itself. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['feature', 'that of the manifest, so that costs are reported by blueprint'],
  ['blueprint_run', 'the id of the run, by which usage names it'],
  ['prompt_key', 'not used: the templates are those of the manifest'],
  ['prompt_version', 'not used: the templates are those of the manifest'],
]);
