import { callerKindOf } from '../../actions/tools/action.js';
import type { ToolVersion } from '../../actions/tools/registry.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import { formatRub } from '../../kernel/money.js';
import { allowedMicroMax } from './cost-bound.js';
import { toolPreview } from './decisions.js';
import { readInjections } from './injection.js';
import {
  type Asked,
  askModels,
  costMicroOf,
  outputFaults,
  type RunFacts,
  shownFaults,
} from './llm-step.js';
import { conditionText, type Step, type StepOf } from './manifest.js';
import { computed } from './pure-steps.js';
import { type StepRecord, storable } from './storable.js';
import { boundValues, holds, type RunValues } from './values.js';

/** A run as it went: nothing is recorded yet, and requests to models are billed already. */
export interface RanSteps {
  readonly steps: readonly StepRecord[];
  readonly values: RunValues;
  readonly costMicro: bigint;
}

/** What a step came to, without what every step has. */
type Done = Partial<Pick<Asked, 'attempts' | 'routing' | 'firewall' | 'outputValid'>> & {
  readonly output: unknown;
  readonly failure?: GatewayError | undefined;
};

/** What a run needs beside its manifest and input. */
interface Surroundings {
  /** The tools that are registered, by their keys. */
  readonly tools: ReadonlyMap<string, ToolVersion>;
  /** Told of all steps so far, each time that one has ended. */
  readonly told?: (steps: readonly StepRecord[]) => Promise<void>;
  /** What is known of long values already. */
  readonly injectionFree?: Map<string, boolean>;
}

type Running = RunFacts & Pick<Surroundings, 'tools'> & { readonly values: RunValues };

/**
 * Runs the steps in order. A step whose condition does not hold is left out; one that fails ends
 * the run, and so does a cost at run_rub_max before a model is asked.
 */
export async function runSteps(
  ctx: AuthorizedCtx,
  facts: RunFacts,
  input: JsonObject,
  { tools, told, injectionFree = new Map() }: Surroundings,
): Promise<RanSteps> {
  const outputs = new Map<string, unknown>();
  const values = { input, outputs, injectionFree };
  const steps: StepRecord[] = [];
  let costMicro = 0n;
  for (const step of facts.manifest.steps) {
    const record = await runStep(ctx, { ...facts, values, tools }, step, costMicro);
    steps.push(record);
    costMicro += record.costMicro;
    await told?.(steps);
    if (record.status === 'failed') break;
    if (record.status !== 'completed') continue;
    outputs.set(step.id, record.output);
    await readInjections(facts.manifest, values, () => ctx.who.tenantId);
  }
  return { steps, values, costMicro };
}

async function runStep(
  ctx: AuthorizedCtx,
  running: Running,
  step: Step,
  spentMicro: bigint,
): Promise<StepRecord> {
  const startedMs = performance.now();
  const { id, type, title } = step;
  const named = { ...NOTHING, step: id, type, title };
  if (step.when && !holds(running.values, step.when)) {
    const reason = `its condition does not hold: ${conditionText(step.when)}`;
    return { ...named, status: 'skipped', reason };
  }
  const { failure, ...done } = judged(step, await doStep(ctx, running, step, spentMicro));
  const { attempts = [] } = done;
  return {
    ...named,
    ...done,
    attempts,
    status: failure ? 'failed' : 'completed',
    reason: failure?.message ?? null,
    errorCode: failure?.code ?? null,
    costMicro: costMicroOf(attempts),
    latencyMs: Math.round(performance.now() - startedMs),
  };
}

/** What a step has where nothing was asked and nothing failed. */
const NOTHING = {
  reason: null,
  errorCode: null,
  attempts: [],
  routing: null,
  firewall: null,
  costMicro: 0n,
  latencyMs: 0,
  output: null,
  outputValid: null,
} as const;

/** Models have been judged where they were asked, since another one may do better. */
function judged(step: Step, done: Done): Done {
  const { output_schema: schema } = step;
  if (step.type === 'llm' || !schema || done.failure) return done;
  const faults = outputFaults(schema, done.output);
  if (faults.length === 0) return { ...done, outputValid: true };
  const values = { step: step.id, faults: shownFaults(faults) };
  const failure = new GatewayError('blueprint_step_output_invalid', { values });
  return { ...done, outputValid: false, failure };
}

function doStep(
  ctx: AuthorizedCtx,
  running: Running,
  step: Step,
  spentMicro: bigint,
): Done | Promise<Done> {
  const { values, manifest } = running;
  switch (step.type) {
    case 'llm': {
      const mostMicro = allowedMicroMax(manifest);
      const failure = overspent(mostMicro, spentMicro);
      if (failure) return { output: null, failure };
      const allowedMicro = mostMicro - spentMicro;
      const bound = boundValues(values, step.with);
      return askModels(ctx, { ...running, allowedMicro }, { step, values: bound });
    }
    case 'tool':
      return previewed(ctx, running, step);
    default:
      return computed(step, values);
  }
}

async function previewed(
  { who }: AuthorizedCtx,
  { values, tools }: Running,
  step: StepOf<'tool'>,
): Promise<Done> {
  const given = await storable(boundValues(values, step.with), who.tenantId);
  return { output: toolPreview(step, given, tools.get(step.tool_key), callerKindOf(who)) };
}

function overspent(allowedMicro: bigint, spentMicro: bigint): GatewayError | undefined {
  if (spentMicro < allowedMicro) return undefined;
  const values = { spent: formatRub(spentMicro), allowed: formatRub(allowedMicro) };
  return new GatewayError('blueprint_run_cost_exceeded', { values });
}
