import { VERBS } from '../../actions/tools/vocabulary.js';
import { SANDBOX_PROVIDER } from '../../catalog/providers/catalogue.js';
import { replacesValue } from '../../kernel/firewall/modes.js';
import { formatRub } from '../../kernel/money.js';
import { allowedMicroMax, runCostMicroMax } from './cost-bound.js';
import { eachStep, type Finder, type Found } from './lint-references.js';
import { isAsGood, type Manifest, type ModelNeed, needsOf } from './manifest.js';
import { MANIFEST_SCHEMAS } from './manifest-schema.js';

/** The models that manifests may name for the sandbox. */
export const SANDBOX_MODELS: ReadonlyMap<string, (typeof SANDBOX_PROVIDER.models)[number]> =
  new Map(SANDBOX_PROVIDER.models.map((model) => [model.id, model]));

/** Rules about what a blueprint needs to run safely: models, costs, tools, personal data. */
export const safetyFinders = {
  missing_output_schema: ({ steps }) =>
    eachStep(steps, (step) =>
      step.type === 'llm' && !step.output_schema ? [`${step.id} has no output schema.`] : [],
    ),
  unbounded_cost: costFindings,
  capability_mismatch: (manifest) =>
    needsOf(manifest).flatMap(({ path, need }) =>
      mismatches(manifest, need).map((message) => ({ path, message })),
    ),
  undeclared_tool: ({ steps, tools }) =>
    eachStep(steps, (step) => {
      if (step.type !== 'tool') return [];
      const { tool_key: key, verb } = step;
      const listed = tools.some((tool) => tool.tool_key === key && tool.verbs.includes(verb));
      if (listed && VERBS.has(verb)) return [];
      return [
        listed ? `${verb} is no verb of the published list.` : `${verb} of ${key} is not listed.`,
      ];
    }),
  personal_data_unprotected: (manifest) =>
    openClasses(manifest).map((each) => ({
      path: `policies.firewall.${each}`,
      message: `Inputs hold ${each}, and the policies do not mask or block it.`,
    })),
  example_invalid: ({ input_schema, example_input }) =>
    MANIFEST_SCHEMAS.valueFaults(input_schema, example_input, 'example_input'),
  missing_fallback: ({ models }) =>
    hasFallback(models)
      ? []
      : [{ path: 'models.fallback', message: 'No other model can take over.' }],
} as const satisfies Readonly<Record<string, Finder>>;

/** Classes of personal data that inputs hold and the policies let through as they are. */
export function openClasses({ personal_data: classes, policies }: Manifest) {
  return classes.filter((each) => !replacesValue(policies.firewall[each] ?? 'off'));
}

/** Whether another model is named than the primary one. */
export function hasFallback({ primary, fallback }: Manifest['models']): boolean {
  return fallback !== undefined && fallback.sandbox_model !== primary.sandbox_model;
}

function mismatches({ steps }: Manifest, need: ModelNeed): string[] {
  const model = SANDBOX_MODELS.get(need.sandbox_model);
  if (!model) return [`No model of the sandbox is named ${need.sandbox_model}.`];
  const wantsJson = steps.some((step) => step.type === 'llm' && step.output_schema);
  const wanted = new Set([...need.capabilities, ...(wantsJson ? (['json'] as const) : [])]);
  const lacking = [...wanted].filter((capability) => !model.capabilities.includes(capability));
  const least = need.russian_quality_min;
  const isWeak = !isAsGood(model.russianQuality, least);
  const tooLong = steps.filter(
    (step) => step.type === 'llm' && (step.max_output_tokens ?? 0) > model.maxOutputTokens,
  );
  return [
    ...lacking.map((capability) => `${model.id} lacks ${capability}.`),
    ...(isWeak ? [`The Russian of ${model.id} is ${model.russianQuality}, not ${least}.`] : []),
    ...tooLong.map(({ id }) => `${model.id} cannot answer as long as ${id} allows.`),
  ];
}

function costFindings(manifest: Manifest): Found[] {
  const allowedMicro = allowedMicroMax(manifest);
  return needsOf(manifest).flatMap(({ path, need: { sandbox_model: id } }): Found[] => {
    const model = SANDBOX_MODELS.get(id);
    if (!model) return [];
    const most = runCostMicroMax(manifest, model);
    if (most === undefined) return [{ path, message: 'A text or an answer has no bound.' }];
    if (most <= allowedMicro) return [];
    const { run_rub_max: allowed } = manifest.policies.budget;
    const message = `A run can cost ${formatRub(most)} RUB with ${id}, above ${allowed}.`;
    return [{ path, message }];
  });
}
