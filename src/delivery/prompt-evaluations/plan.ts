import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PromptCaseSet, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults, GatewayError } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { casesOf } from '../../prompts/evaluations/case-sets.js';
import type { PromptCase, Target } from '../../prompts/evaluations/tables.js';
import { EVALUATION_BOUNDS } from '../../prompts/evaluations/vocabulary.js';
import type { ModelVariant, PromptVariable } from '../../prompts/packages/vocabulary.js';
import { renderMessages } from '../../prompts/template.js';
import { valuesOf } from '../../prompts/use/apply.rules.js';
import { aliasFor } from '../../routing/aliases/alias.rules.js';

/** A case with what the version makes of it. */
export interface PlannedCase {
  readonly index: number;
  readonly given: PromptCase;
  /** The values that the version declares, of those that the case has. */
  readonly variables: JsonObject;
  /** Bytes of the messages and of the schema that are sent. */
  readonly bytes: number;
  /** What the answer must be valid by; null without one. */
  readonly schema: JsonObject | null;
}

/** Everything that a run needs. */
export interface RunPlan {
  readonly id: string;
  readonly promptKey: string;
  readonly version: number;
  /** 64 hexadecimal digits. */
  readonly contentHash: string;
  readonly cases: readonly PlannedCase[];
  readonly targets: readonly Target[];
  readonly budgetMicro: bigint;
}

/** What rendering all cases is given. */
const RENDER_MS_MAX = 2_000;

/**
 * The cases of a set with a version: each must fit the variables of the template and render. Of
 * variables that other versions of the package declare the version is given none, so that one set
 * serves versions with different variables. Other requests are served between two cases.
 * @param declared the variables of all versions of the package
 * @throws prompt_cases_erased, invalid_request with every fault
 */
export async function plannedCases(
  set: PromptCaseSet,
  version: PromptVersion,
  declared: ReadonlySet<string>,
): Promise<PlannedCase[]> {
  const own = new Set(namesOf(version));
  const cases = casesOf(set);
  if (!cases) return fail('prompt_cases_erased', { values: { version: set.version } });
  const faults: Fault[] = [];
  const planned: PlannedCase[] = [];
  let usedMs = 0;
  for (const [index, given] of cases.entries()) {
    const begunMs = performance.now();
    const schema = asObject(given.outputSchema) ?? asObject(version.outputSchema) ?? null;
    const all = Object.entries(asObject(given.variables) ?? {});
    // A name that no version has is a mistake, which is shown.
    const kept = all.filter(([name]) => own.has(name) || !declared.has(name));
    const variables = Object.fromEntries(kept);
    const each = { index, given, schema, variables };
    const sent = renderedBytes(version, each, `cases.${index}`, faults);
    planned.push({ ...each, bytes: sent + JSON.stringify(schema ?? {}).length * 2 });
    usedMs += performance.now() - begunMs;
    if (usedMs > RENDER_MS_MAX) {
      const what = `cannot be rendered: the cases up to it took longer than ${RENDER_MS_MAX} ms`;
      failOnFaults([...faults, fault(`cases.${index}`, 'invalid', what)]);
    }
    await nextTurn();
  }
  failOnFaults(faults);
  return planned;
}

/** The variables that a version declares. */
export function namesOf({ variables }: Pick<PromptVersion, 'variables'>): string[] {
  return (variables as unknown as readonly PromptVariable[]).map(({ name }) => name);
}

function renderedBytes(
  version: PromptVersion,
  { given, variables: stated }: Omit<PlannedCase, 'bytes'>,
  path: string,
  faults: Fault[],
): number {
  const variables = version.variables as unknown as readonly PromptVariable[];
  const { values, faults: wrong } = valuesOf({ variables }, stated);
  const below = (text: string) => text.replaceAll('gw_prompt.variables', `${path}.variables`);
  faults.push(
    ...wrong.map((each) => ({ ...each, path: below(each.path), message: below(each.message) })),
  );
  if (wrong.length > 0) return 0;
  try {
    const messages = [...renderMessages(version.template, values), ...given.messages];
    return messages.reduce((sum, { content }) => sum + Buffer.byteLength(content), 0);
  } catch (thrown) {
    if (!(thrown instanceof GatewayError)) throw thrown;
    faults.push(fault(path, 'invalid', `cannot be rendered: ${thrown.message}`));
    return 0;
  }
}

/**
 * What a version is run with: its variants, or the models that the caller names. Of variants that
 * share a model and are named by it, each is run.
 * @throws invalid_request where there are none, a name is unknown, or there are too many requests
 */
export async function plannedTargets(
  ctx: AuthorizedCtx,
  version: PromptVersion,
  models: readonly string[] | null,
  caseCount: number,
): Promise<Target[]> {
  const variants = version.modelVariants as unknown as readonly ModelVariant[];
  const targets = models === null ? variants.map(targetOf) : namedTargets(variants, models);
  const known = models === null ? [] : await unknownModels(ctx, models);
  const none = targets.length === 0 ? [fault('input.models', 'missing', NEEDED)] : [];
  const { requests: max } = EVALUATION_BOUNDS;
  const what = `must make at most ${max} requests with ${caseCount} cases`;
  const isMany = targets.length * caseCount > max;
  const many = isMany ? [fault('input.models', 'out_of_range', what)] : [];
  failOnFaults([...known, ...none, ...many]);
  return targets;
}

const NEEDED = 'is needed, since the version names no model';

function targetOf({ name, model, temperature, max_tokens: maxTokens }: ModelVariant): Target {
  return { name, model, temperature, maxTokens };
}

function namedTargets(variants: readonly ModelVariant[], models: readonly string[]): Target[] {
  const found = models.flatMap((model) => {
    const named = variants.filter((each) => each.model === model || each.name === model);
    if (named.length > 0) return named.map(targetOf);
    return [{ name: model, model, temperature: null, maxTokens: null }];
  });
  // A variant that is named twice, by its name and by its model, is run once.
  return [...new Map(found.map((target) => [target.name, target])).values()];
}

/** Names that no model, alias or variant has. A variant that names a wrong model fails its gate. */
async function unknownModels(ctx: AuthorizedCtx, models: readonly string[]): Promise<Fault[]> {
  const { registry, modelAliases } = ctx.services;
  const aliases = await modelAliases.forTenant(ctx.who.tenantId);
  return models.flatMap((model, index) => {
    const isCallable = registry.models.get(model)?.operation === 'chat';
    const isAlias = registry.aliases.has(model) || aliasFor(aliases, model, () => false);
    if (isCallable || isAlias) return [];
    const [near] = registry.near(model);
    const hint = near === undefined ? '' : ` Did you mean ${near}?`;
    const path = `input.models.${index}`;
    return [{ path, code: 'unknown_value', message: `${path}: no chat model ${model}.${hint}` }];
  });
}
