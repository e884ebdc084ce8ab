import { callerKindOf } from '../../actions/tools/action.js';
import type { ToolVersion } from '../../actions/tools/registry.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import { formatRub } from '../../kernel/money.js';
import { allowedMicroMax } from './cost-bound.js';
import { approvalNeed, toolPreview, validated } from './decisions.js';
import { type Asked, askModels, outputFaults, type RunFacts, shownFaults } from './llm-step.js';
import { conditionText, type Step } from './manifest.js';
import { bestPassages, type SourceDocument } from './retrieve.js';
import { type StepRecord, storable } from './storable.js';
import { transformed } from './transform.js';
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
  { tools, told }: Surroundings,
): Promise<RanSteps> {
  const outputs = new Map<string, unknown>();
  const values: RunValues = { input, outputs };
  const steps: StepRecord[] = [];
  let costMicro = 0n;
  for (const step of facts.manifest.steps) {
    const record = await runStep(ctx, { ...facts, values, tools }, step, costMicro);
    steps.push(record);
    costMicro += record.costMicro;
    await told?.(steps);
    if (record.status === 'failed') break;
    if (record.status === 'completed') outputs.set(step.id, record.output);
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
    costMicro: attempts.reduce((sum, attempt) => sum + attempt.costMicro, 0n),
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
  const { values, tools, manifest } = running;
  switch (step.type) {
    case 'llm': {
      const mostMicro = allowedMicroMax(manifest);
      const failure = overspent(mostMicro, spentMicro);
      if (failure) return { output: null, failure };
      const allowedMicro = mostMicro - spentMicro;
      const bound = boundValues(values, step.with);
      return askModels(ctx, { ...running, allowedMicro }, { step, values: bound });
    }
    case 'retrieve': {
      const { documents, query } = boundValues(values, step.with);
      const sources = (documents ?? []) as readonly SourceDocument[];
      const passages = bestPassages(sources, String(query ?? ''), step.top);
      return { output: { found: passages.length, passages } };
    }
    case 'transform':
      return { output: transformed(step.set, boundValues(values, step.with)) };
    case 'validate': {
      const output = validated(step, values);
      if (output.passed || step.on_failure !== 'stop') return { output };
      const checks = output.violations.map(({ code }) => code).join(', ');
      const failure = new GatewayError('blueprint_check_failed', {
        values: { step: step.id, checks },
      });
      return { output, failure };
    }
    case 'approval':
      return { output: approvalNeed(step, values) };
    case 'tool': {
      const given = storable(boundValues(values, step.with));
      const tool = tools.get(step.tool_key);
      return { output: toolPreview(step, given, tool, callerKindOf(ctx.who)) };
    }
  }
}

function overspent(allowedMicro: bigint, spentMicro: bigint): GatewayError | undefined {
  if (spentMicro < allowedMicro) return undefined;
  const values = { spent: formatRub(spentMicro), allowed: formatRub(allowedMicro) };
  return new GatewayError('blueprint_run_cost_exceeded', { values });
}
