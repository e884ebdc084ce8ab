import { VERBS } from '../../actions/tools/vocabulary.js';
import { QUALITY_TIERS, type QualityTier } from '../../catalog/providers/vocabulary.js';
import { replacesValue } from '../../kernel/firewall/modes.js';
import { formatRub } from '../../kernel/money.js';
import { allowedMicroMax, runCostMicroMax } from './cost-bound.js';
import { MANIFEST_SCHEMAS } from './json-schema.js';
import type { Finder, Found, LintModel } from './lint-finder.js';
import type { Manifest, ModelNeed } from './manifest.js';

const VERB_CODES = new Set<string>(VERBS.codes);

/** Rules about what a blueprint needs to run safely: models, costs, tools, personal data. */
export function safetyFinders(models: ReadonlyMap<string, LintModel>) {
  return {
    missing_output_schema: ({ steps }) =>
      steps.flatMap((step, index) =>
        step.type === 'llm' && !step.output_schema
          ? [{ path: `steps.${index}`, message: `${step.id} has no output schema.` }]
          : [],
      ),
    unbounded_cost: (manifest) => costFindings(manifest, models),
    capability_mismatch: (manifest) =>
      needsOf(manifest).flatMap(([path, need]) =>
        mismatches(manifest, need, models.get(need.sandbox_model)).map((message) => ({
          path,
          message,
        })),
      ),
    undeclared_tool: ({ steps, tools }) =>
      steps.flatMap((step, index) => {
        if (step.type !== 'tool') return [];
        const { tool_key: key, verb } = step;
        const listed = tools.some((tool) => tool.tool_key === key && tool.verbs.includes(verb));
        if (listed && VERB_CODES.has(verb)) return [];
        const message = listed ? `${verb} is no verb.` : `${verb} of ${key} is not listed.`;
        return [{ path: `steps.${index}`, message }];
      }),
    personal_data_unprotected: ({ personal_data: classes, policies }) =>
      classes
        .filter((each) => !replacesValue(policies.firewall[each] ?? 'off'))
        .map((each) => ({
          path: `policies.firewall.${each}`,
          message: `Inputs hold ${each}, and the policies do not mask or block it.`,
        })),
    example_invalid: ({ input_schema, example_input }) =>
      exampleFindings(() =>
        MANIFEST_SCHEMAS.valueFaults(input_schema, example_input, 'example_input'),
      ),
    missing_fallback: ({ models: { primary, fallback } }) =>
      fallback && fallback.sandbox_model !== primary.sandbox_model
        ? []
        : [{ path: 'models.fallback', message: 'No other model can take over.' }],
  } as const satisfies Readonly<Record<string, Finder>>;
}

function needsOf({ models: { primary, fallback } }: Manifest): (readonly [string, ModelNeed])[] {
  return [
    ['models.primary', primary],
    ...(fallback ? ([['models.fallback', fallback]] as const) : []),
  ];
}

function mismatches({ steps }: Manifest, need: ModelNeed, model: LintModel | undefined): string[] {
  if (!model) return [`No model of the sandbox is named ${need.sandbox_model}.`];
  const wantsJson = steps.some((step) => step.type === 'llm' && step.output_schema);
  const wanted = new Set([...need.capabilities, ...(wantsJson ? (['json'] as const) : [])]);
  const lacking = [...wanted].filter((capability) => !model.capabilities.includes(capability));
  const rank = (tier: QualityTier) => QUALITY_TIERS.codes.indexOf(tier);
  const isWeak = rank(model.russianQuality) < rank(need.russian_quality_min);
  const least = need.russian_quality_min;
  const tooLong = steps.filter(
    (step) => step.type === 'llm' && (step.max_output_tokens ?? 0) > model.maxOutputTokens,
  );
  return [
    ...lacking.map((capability) => `${model.id} lacks ${capability}.`),
    ...(isWeak ? [`The Russian of ${model.id} is ${model.russianQuality}, not ${least}.`] : []),
    ...tooLong.map(({ id }) => `${model.id} cannot answer as long as ${id} allows.`),
  ];
}

function costFindings(manifest: Manifest, models: ReadonlyMap<string, LintModel>): Found[] {
  const allowedMicro = allowedMicroMax(manifest);
  return needsOf(manifest).flatMap(([path, { sandbox_model: id }]): Found[] => {
    const model = models.get(id);
    if (!model) return [];
    const most = runCostMicroMax(manifest, model);
    if (most === undefined) return [{ path, message: 'A text or an answer has no bound.' }];
    if (most <= allowedMicro) return [];
    const { run_rub_max: allowed } = manifest.policies.budget;
    const message = `A run can cost ${formatRub(most)} RUB with ${id}, above ${allowed}.`;
    return [{ path, message }];
  });
}

/** A schema that does not compile accepts no example. */
function exampleFindings(faults: () => readonly Found[]): Found[] {
  try {
    return faults().map(({ path, message }) => ({ path, message }));
  } catch (error) {
    return [{ path: 'input_schema', message: (error as Error).message }];
  }
}
