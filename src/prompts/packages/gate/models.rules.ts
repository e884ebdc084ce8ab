import type { Model } from '../../../catalog/providers/model.js';
import { NO_USAGE, type PriceRow, usageCost } from '../../../catalog/providers/price.js';
import { formatRub } from '../../../kernel/money.js';
import type { RenderedMessage } from '../../template.js';
import type { ModelVariant, PromptContent } from '../vocabulary.js';
import { ended, listed, unlessFound } from './check.js';
import type { GateCheck, VariantCost } from './tables.js';
import type { OutputAssumption } from './vocabulary.js';

/** What the gate knows of the model that a variant names. */
export type NamedModel =
  | { readonly kind: 'unknown'; readonly near: readonly string[] }
  /** An alias: the model is chosen for each request, so nothing can be told of it before. */
  | { readonly kind: 'alias' }
  | {
      readonly kind: 'model';
      readonly model: Pick<
        Model,
        'operation' | 'capabilities' | 'contextWindow' | 'maxOutputTokens'
      >;
      /** Why the policies of the project refuse it; undefined where they allow it. */
      readonly refusal: string | undefined;
      readonly price: PriceRow | undefined;
    };

/** What the checks of the model variants found. */
export interface ModelFindings {
  readonly checks: readonly GateCheck[];
  readonly cost: readonly VariantCost[];
}

/** A variant with all that is known of its call. */
interface Sized {
  readonly variant: ModelVariant;
  readonly named: NamedModel;
  readonly cost: VariantCost;
}

/** Input of the checks of the model variants. */
export interface ModelInput {
  readonly content: PromptContent;
  readonly messages: readonly RenderedMessage[] | undefined;
  readonly named: ReadonlyMap<string, NamedModel>;
  readonly countTokens: (text: string) => number;
}

/** The checks of the model variants, and what a call of each costs. */
export function checkModels(input: ModelInput): ModelFindings {
  const { content, named } = input;
  const inputTokens = input.messages && chatTokens(input.messages, input.countTokens);
  const answerTokens = longestOutput(content.samples.outputs, input.countTokens);
  const sized = content.modelVariants.map((variant): Sized => {
    const of = named.get(variant.model) ?? { kind: 'unknown', near: [] };
    return { variant, named: of, cost: costOf(variant, of, inputTokens, answerTokens) };
  });
  return {
    checks: [
      checkKnown(sized),
      checkAllowed(sized),
      checkCapable(sized, content.outputSchema !== null),
      checkWindow(sized),
      checkCost(sized),
    ],
    cost: sized.map(({ cost }) => cost),
  };
}

/** Tokens of the messages by the published counting rule of the chat format. */
function chatTokens(
  messages: readonly RenderedMessage[],
  countTokens: (text: string) => number,
): number {
  const each = messages.map(({ role, content }) => 3 + countTokens(role) + countTokens(content));
  return each.reduce((sum, tokens) => sum + tokens, 3);
}

function longestOutput(
  outputs: readonly unknown[],
  countTokens: (text: string) => number,
): number | undefined {
  if (outputs.length === 0) return undefined;
  const texts = outputs.map((output) =>
    typeof output === 'string' ? output : JSON.stringify(output),
  );
  return Math.max(...texts.map(countTokens));
}

function costOf(
  variant: ModelVariant,
  named: NamedModel,
  inputTokens: number | undefined,
  answerTokens: number | undefined,
): VariantCost {
  const { name, model } = variant;
  const untold = { name, model, outputTokens: null, outputAssumption: null, costMicro: null };
  const input = inputTokens ?? null;
  if (named.kind === 'unknown') {
    return { ...untold, inputTokens: input, reason: 'no model has this name' };
  }
  if (named.kind === 'alias') {
    return { ...untold, inputTokens: input, reason: 'the model is chosen for each request' };
  }
  if (inputTokens === undefined) {
    return { ...untold, inputTokens: null, reason: 'the template does not render' };
  }
  const { outputTokens, outputAssumption } = answerOf(variant, named, answerTokens);
  const usage = { ...NO_USAGE, input_uncached: inputTokens, output_text: outputTokens };
  const costMicro = (named.price && usageCost(usage, named.price, 'half_even')) ?? null;
  const reason = costMicro === null ? 'the model has no price today' : null;
  return { name, model, inputTokens, outputTokens, outputAssumption, costMicro, reason };
}

function answerOf(
  { max_tokens }: ModelVariant,
  { model }: Extract<NamedModel, { kind: 'model' }>,
  answerTokens: number | undefined,
): { readonly outputTokens: number; readonly outputAssumption: OutputAssumption } {
  const most = max_tokens ?? model.maxOutputTokens;
  if (answerTokens !== undefined) {
    return { outputTokens: Math.min(answerTokens, most), outputAssumption: 'sample_outputs' };
  }
  const outputAssumption = max_tokens === null ? 'model_maximum' : 'max_tokens';
  return { outputTokens: most, outputAssumption };
}

/** A variant that names no chat model: a misspelt name, or a model of another operation. */
type WrongModel = {
  readonly name: string;
  readonly model: string;
  readonly did_you_mean?: readonly string[];
  readonly operation?: string;
};

function checkKnown(sized: readonly Sized[]): GateCheck {
  if (sized.length === 0) {
    const message = 'No model variant is named: every request must name its model.';
    return ended('models_known', 'warn', message);
  }
  const wrong = sized.flatMap(({ variant: { name, model }, named }): WrongModel[] => {
    if (named.kind === 'unknown') return [{ name, model, did_you_mean: [...named.near] }];
    const isOther = named.kind === 'model' && named.model.operation !== 'chat';
    return isOther ? [{ name, model, operation: named.model.operation }] : [];
  });
  return unlessFound('models_known', wrong, 'fail', {
    none: 'Every model variant names a chat model.',
    some: `No chat model: ${listed(wrong.map(({ model }) => model))}; see GET /v1/models.`,
  });
}

function checkAllowed(sized: readonly Sized[]): GateCheck {
  const refused = sized.flatMap(({ variant: { name, model }, named }) =>
    named.kind === 'model' && named.refusal !== undefined
      ? [{ name, model, reason: named.refusal }]
      : [],
  );
  return overVariants('models_allowed', sized, refused, {
    none: 'The policies of the project allow every model variant.',
    some: `The policies of the project refuse ${listed(refused.map(({ model }) => model))}.`,
  });
}

function checkCapable(sized: readonly Sized[], hasSchema: boolean): GateCheck {
  const unable = sized.flatMap(({ variant: { name, model }, named }) =>
    hasSchema && named.kind === 'model' && !named.model.capabilities.includes('json_schema')
      ? [{ name, model, missing: 'json_schema' }]
      : [],
  );
  return overVariants('models_capable', sized, unable, {
    none: 'Every model variant can do what the version needs.',
    some: `Answers by a JSON Schema are beyond ${listed(unable.map(({ model }) => model))}.`,
  });
}

function checkWindow(sized: readonly Sized[]): GateCheck {
  const wrong = sized.flatMap(({ variant, named, cost }) => {
    if (named.kind !== 'model') return [];
    const { contextWindow, maxOutputTokens } = named.model;
    const { name, model, max_tokens } = variant;
    const tokens = (cost.inputTokens ?? 0) + (cost.outputTokens ?? 0);
    const tooLong = tokens > contextWindow ? [{ name, model, tokens, window: contextWindow }] : [];
    const most = maxOutputTokens;
    const isOver = max_tokens !== null && max_tokens > most;
    return [...tooLong, ...(isOver ? [{ name, model, max_tokens, max_tokens_max: most }] : [])];
  });
  return overVariants('context_window', sized, wrong, {
    none: 'Messages and answer fit into the window of every model variant.',
    some: `Too long for ${listed(wrong.map(({ model }) => model))}.`,
    unmeasured: sized.filter(({ cost }) => cost.outputTokens === null),
  });
}

function checkCost(sized: readonly Sized[]): GateCheck {
  const unpriced = sized.flatMap(({ variant: { name, model }, named }) =>
    named.kind === 'model' && named.price === undefined ? [{ name, model }] : [],
  );
  const costs = sized.flatMap(({ cost: { name, costMicro } }) =>
    costMicro === null ? [] : [`${name} ${formatRub(costMicro)} RUB`],
  );
  return overVariants('cost_known', sized, unpriced, {
    none: `Estimated for one call: ${listed(costs)}.`,
    some: `No price today: ${listed(unpriced.map(({ model }) => model))}.`,
    unmeasured: sized.filter(({ cost }) => cost.costMicro === null),
  });
}

interface VariantTexts {
  readonly none: string;
  readonly some: string;
  /** Variants of which it cannot be told. */
  readonly unmeasured?: readonly Sized[];
}

/** A check over variants: nothing is measured where there is none, or where one cannot be told. */
function overVariants(
  code: 'models_allowed' | 'models_capable' | 'context_window' | 'cost_known',
  sized: readonly Sized[],
  found: Parameters<typeof unlessFound>[1],
  { none, some, unmeasured = [] }: VariantTexts,
): GateCheck {
  if (found.length > 0) return ended(code, 'fail', some, found);
  if (sized.length === 0) return ended(code, 'not_measured', 'No model variant is named.');
  if (unmeasured.length === 0) return ended(code, 'pass', none);
  const reasons = unmeasured.map(({ cost: { name, reason } }) => ({ name, reason }));
  const names = listed(reasons.map(({ name }) => name));
  return ended(code, 'not_measured', `It cannot be told for ${names}.`, reasons);
}
