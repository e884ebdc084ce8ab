import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import { fits } from '../../kernel/errors/faults.js';
import { wireName } from '../../kernel/fields/names.js';
import { asObject } from '../../kernel/json.js';
import { whatIf } from '../../records/what-if.js';
import { planCache } from './cache-plan.rules.js';
import { classify } from './classify.rules.js';
import { type Context, compile, lackingRoom } from './compile.rules.js';
import { lackingBounds, planOutput } from './output.rules.js';
import { planRetrieval } from './retrieval.rules.js';
import {
  CACHE_INPUT,
  CACHE_PLAN,
  CLASSIFIED,
  CLASSIFY_INPUT,
  COMPILE_INPUT,
  COMPILED,
  OUTPUT_INPUT,
  OUTPUT_PLAN,
  RETRIEVAL_INPUT,
  RETRIEVAL_PLAN,
  TRANSFORM_INPUT,
  TRANSFORMED,
} from './tables.js';
import { lackingForTransform, transform } from './transform.rules.js';

/** Names that stand twice would make an answer ambiguous. */
function contextFaults({ items, budgets }: Context) {
  const ids = items.map(({ itemId }) => itemId);
  const parts = budgets.map(({ component }) => component);
  return [
    ...repeated(ids).map((at) => fits(`input.items.${at}.itemId`, false, 'must be unique')),
    ...repeated(parts).map((at) => fits(`input.budgets.${at}.component`, false, 'must be unique')),
  ].flat();
}

function repeated(names: readonly string[]): number[] {
  const seen = new Set<string>();
  return names.flatMap((name, at) => {
    if (seen.has(name)) return [at];
    seen.add(name);
    return [];
  });
}

whatIf({
  field: 'contextCompile',
  description: 'Compiles a context into a window: every MUST item, and the most valuable others.',
  input: COMPILE_INPUT,
  output: COMPILED,
  faults: contextFaults,
  failClosed: {
    otherwise: 'CANNOT_COMPILE',
    reason: 'What must not be dropped does not fit.',
    missing: lackingRoom,
  },
  rule: compile,
});

whatIf({
  field: 'workloadClassify',
  description: 'How a request should be handled: how soon, with what reasoning, how far shortened.',
  input: CLASSIFY_INPUT,
  output: CLASSIFIED,
  rule: classify,
});

whatIf({
  field: 'cachePlan',
  description: 'Whether the answer of a request may be kept, and under what identity.',
  input: CACHE_INPUT,
  output: CACHE_PLAN,
  rule: planCache,
});

whatIf({
  field: 'retrievalPlan',
  description: 'The least passages that cover what an answer needs, one after the other.',
  input: RETRIEVAL_INPUT,
  output: RETRIEVAL_PLAN,
  rule: planRetrieval,
});

whatIf({
  field: 'outputPlan',
  description: 'The ceiling of an answer, by the tightest bound that is known of it.',
  input: OUTPUT_INPUT,
  output: OUTPUT_PLAN,
  faults: ({ jsonSchema }) => {
    const isSchema = jsonSchema === null || asObject(jsonSchema) !== undefined;
    return fits('input.jsonSchema', isSchema, 'must be a JSON Schema, an object');
  },
  failClosed: {
    otherwise: 'CANNOT_PLAN',
    reason: 'Nothing that was stated bounds the answer.',
    missing: lackingBounds,
  },
  rule: planOutput,
});

whatIf({
  field: 'contextTransformSimulate',
  description: 'What transforms of a context would save; nothing is kept.',
  input: TRANSFORM_INPUT,
  output: TRANSFORMED,
  failClosed: {
    otherwise: 'REFUSED',
    reason: 'A hard rule stands against it, or there is nothing to transform.',
    missing: (asked) =>
      lackingForTransform(asked).map(({ field, what }) => `${wireName(field)} ${what}`),
  },
  rule: async (asked) => {
    const { count } = await loadTokenizer();
    return { verdict: 'PROJECTED' as const, ...transform(asked, count) };
  },
});
