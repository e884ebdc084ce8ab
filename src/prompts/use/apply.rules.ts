import { createHash } from 'node:crypto';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import type { JsonObject } from '../../kernel/json.js';
import { nearestNames } from '../../kernel/near-names.js';
import { hasType } from '../packages/variables.rules.js';
import type { ModelVariant } from '../packages/vocabulary.js';
import type { PromptInUse } from '../prompt-cache.js';
import type { RenderedMessage } from '../template.js';

/**
 * The values that a template is rendered with: what the request gives, else the declared default,
 * else nothing where the variable is not required.
 */
export function valuesOf(
  { variables }: Pick<PromptInUse, 'variables'>,
  given: JsonObject,
): { readonly values: Readonly<Record<string, unknown>>; readonly faults: readonly Fault[] } {
  const faults: Fault[] = [];
  const values: Record<string, unknown> = {};
  for (const { name, type, required, default: fallback } of variables) {
    const path = `gw_prompt.variables.${name}`;
    const value = (Object.hasOwn(given, name) ? given[name] : null) ?? fallback;
    values[name] = value;
    if (value === null && required) {
      faults.push(fault(path, 'missing', 'is missing'));
    } else if (value !== null && !hasType(value, type)) {
      faults.push(fault(path, 'wrong_type', `must be of the type ${type}`));
    }
  }
  const declared = variables.map(({ name }) => name);
  for (const name of Object.keys(given)) {
    if (declared.includes(name)) continue;
    const path = `gw_prompt.variables.${name.slice(0, 120)}`;
    const [near] = nearestNames(name, declared);
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    const message = `${path} is no variable of the prompt.${hint}`;
    faults.push({ path, code: 'unknown_value', message });
  }
  return { values, faults };
}

/**
 * Whether a version has been let into production: it is there, or a later version took its place.
 * One that a rollback took out is not promoted any more.
 */
export function isPromoted({
  status,
  superseded,
}: Pick<PromptInUse, 'status' | 'superseded'>): boolean {
  return status === 'production' || (status === 'deprecated' && superseded);
}

/**
 * The variant that serves a request. A model that the client names decides; else the variants
 * share the requests by their weights, and the request's id decides.
 */
export function variantFor(
  variants: readonly ModelVariant[],
  model: unknown,
  requestId: string,
): ModelVariant | undefined {
  if (model != null && model !== '') return variants.find((variant) => variant.model === model);
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  if (total === 0) return variants[0];
  let point = createHash('sha256').update(requestId).digest().readUInt32BE(0) % total;
  return variants.find(({ weight }) => {
    point -= weight;
    return point < 0;
  });
}

/** What is put into a chat request. */
export interface Filling {
  readonly prompt: Pick<PromptInUse, 'promptKey' | 'outputSchema'>;
  readonly messages: readonly RenderedMessage[];
  readonly variant: ModelVariant | undefined;
  /** Whether a model can be held to a JSON Schema. */
  readonly takesSchema: (model: string) => boolean;
}

/**
 * The chat request that a prompt makes of the client's: its messages stand before the client's
 * own, and what the client leaves out (model, temperature, limit of the answer, form of the
 * answer) is filled. What the client says stays. `gw_prompt` is taken out.
 */
export function filledBody(body: JsonObject, filling: Filling): JsonObject {
  const { prompt, messages, variant, takesSchema } = filling;
  const { gw_prompt: _own, ...rest } = body;
  const filled: Record<string, unknown> = { ...rest };
  const own = body.messages ?? [];
  if (Array.isArray(own)) filled.messages = [...messages, ...own];
  if (variant) fillFromVariant(filled, variant);
  const { outputSchema, promptKey } = prompt;
  const model = filled.model;
  if (outputSchema && filled.response_format == null && takesSchema(String(model))) {
    const name = promptKey.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 64);
    filled.response_format = { type: 'json_schema', json_schema: { name, schema: outputSchema } };
  }
  return filled;
}

function fillFromVariant(filled: Record<string, unknown>, variant: ModelVariant): void {
  if (filled.model == null || filled.model === '') filled.model = variant.model;
  if (filled.temperature == null && variant.temperature !== null) {
    filled.temperature = variant.temperature;
  }
  const isLimited = filled.max_tokens != null || filled.max_completion_tokens != null;
  if (!isLimited && variant.max_tokens !== null) filled.max_tokens = variant.max_tokens;
}
