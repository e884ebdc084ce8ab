import type { ModelFacts } from '../../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../../catalog/providers/price.js';
import { sharedNowMs } from '../../kernel/clock.js';
import type { JsonObject } from '../../kernel/json.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { type Manifest, propertiesOf, type Step, type StepOf } from './manifest.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Prices and bounds of a model, as far as costs need them. */
export type PricedModel = Pick<ModelFacts, 'prices' | 'contextWindow'>;

/** What the manifest allows a run to cost, in micro-rubles. */
export function allowedMicroMax({ policies }: Manifest): bigint {
  return BigInt(Math.round(policies.budget.run_rub_max * Number(MICRO_PER_RUB)));
}

/** A model writes at most so many bytes for each token of its answer, on average. */
const BYTES_PER_OUTPUT_TOKEN = 8;
/** Decisions, checks and figures are short. */
const SMALL_OUTPUT_BYTES = 4_096;

/**
 * The most that one run can cost with a model, in micro-rubles: every text at its longest, one
 * token for each byte, every answer at its limit. An upper bound, several times above what runs
 * cost; undefined where the manifest does not bound a text or an answer.
 */
export function runCostMicroMax(manifest: Manifest, model: PricedModel): bigint | undefined {
  const price = priceToday(model);
  if (!price) return undefined;
  let sum = 0n;
  for (const step of manifest.steps) {
    if (step.type !== 'llm') continue;
    const input = promptBytesMax(manifest, step);
    if (input === undefined || step.max_output_tokens === undefined) return undefined;
    const tokens = Math.min(input, model.contextWindow);
    const most = upperEstimate(tokens, step.max_output_tokens, price);
    if (most === undefined) return undefined;
    sum += most;
  }
  return sum;
}

/**
 * The most that one request of a step can cost, in micro-rubles, by the text that it really sends;
 * undefined where the step does not bound the answer.
 */
export function requestCostMicroMax(
  { output_schema: schema, max_output_tokens: most }: StepOf<'llm'>,
  messages: readonly { readonly content: string }[],
  model: PricedModel,
): bigint | undefined {
  const price = priceToday(model);
  if (!price || most === undefined) return undefined;
  const bytes = messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  const tokens = Math.min(bytes + JSON.stringify(schema ?? {}).length * 2, model.contextWindow);
  return upperEstimate(tokens, most, price);
}

/** The price in force: one that begins later is known and not paid yet. */
function priceToday({ prices }: PricedModel) {
  return priceOn(prices, moscowDay(sharedNowMs()));
}

function promptBytesMax(manifest: Manifest, step: StepOf<'llm'>): number | undefined {
  const schema = JSON.stringify(step.output_schema ?? {}).length * 2;
  const values = Object.values(step.with).map((path) => pathBytesMax(manifest, path));
  return sumOf([step.template.length * 2, schema, ...values]);
}

function pathBytesMax(manifest: Manifest, path: string): number | undefined {
  const [root, name = ''] = path.split('.');
  if (root === 'input') return bytesMax(propertiesOf(manifest.input_schema)[name] ?? {});
  const source = manifest.steps.find(({ id }) => id === name);
  return source && outputBytesMax(manifest, source);
}

function outputBytesMax(manifest: Manifest, step: Step): number | undefined {
  switch (step.type) {
    case 'llm':
      return step.max_output_tokens && step.max_output_tokens * BYTES_PER_OUTPUT_TOKEN;
    case 'retrieve':
      return step.top * (BLUEPRINT_BOUNDS.passageCharactersMax * 2 + 1_024);
    case 'transform':
      return boundOfAll(manifest, Object.values(step.with));
    default:
      return SMALL_OUTPUT_BYTES;
  }
}

/** No operation of a transform makes more text than it reads. */
function boundOfAll(manifest: Manifest, paths: readonly string[]): number | undefined {
  // A path to a later step would lead in a circle; the lint names it by itself.
  const each = paths.map((path) =>
    path.startsWith('input.') ? pathBytesMax(manifest, path) : SMALL_OUTPUT_BYTES,
  );
  return sumOf([SMALL_OUTPUT_BYTES, ...each]);
}

/** A sum of bounds; undefined where one of them is. */
function sumOf(bounds: readonly (number | undefined)[]): number | undefined {
  return bounds.reduce((sum, each) =>
    sum !== undefined && each !== undefined ? sum + each : undefined,
  );
}

/**
 * The most bytes that a value of a schema can take as UTF-8, two for each character as Russian
 * text has, with the JSON around it; undefined where the schema does not bound it.
 */
function bytesMax(schema: JsonObject): number | undefined {
  if (Array.isArray(schema.enum)) {
    return Math.max(...schema.enum.map((value) => JSON.stringify(value).length * 2));
  }
  switch (schema.type) {
    case 'string':
      return typeof schema.maxLength === 'number' ? schema.maxLength * 2 + 2 : undefined;
    case 'number':
    case 'integer':
    case 'boolean':
      return 24;
    case 'array':
      return product(schema.maxItems, bytesMax((schema.items ?? {}) as JsonObject));
    case 'object':
      return sumOf([
        2,
        ...Object.entries(propertiesOf(schema)).map(([name, part]) =>
          sumOf([name.length + 4, bytesMax(part)]),
        ),
      ]);
    default:
      return undefined;
  }
}

function product(count: unknown, each: number | undefined): number | undefined {
  return typeof count === 'number' && each !== undefined ? count * (each + 1) + 2 : undefined;
}
