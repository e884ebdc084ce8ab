import type { Model, Registry } from '../../catalog/providers/model.js';
import { priceOn } from '../../catalog/providers/price.js';
import type { Jurisdiction } from '../../catalog/providers/vocabulary.js';
import { goldenCases } from './golden.rules.js';
import { hasFallback, openClasses } from './lint-safety.js';
import { isAsGood, type Manifest, type ModelNeed, needsOf } from './manifest.js';
import type { BlueprintReadiness, JudgedCriterion, LintFinding } from './tables.js';
import { READINESS_CRITERIA, type ReadinessCriterion } from './vocabulary.js';

/** What the criteria are judged by. */
export interface ReadinessFacts {
  readonly manifest: Manifest;
  readonly registry: Registry;
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
  /** What the lint found in the manifest. */
  readonly findings: readonly LintFinding[];
}

/** Whom a choice of models may look at. */
export interface ModelFilter {
  readonly allowedModels?: ReadonlySet<string> | undefined;
  readonly jurisdictions: readonly Jurisdiction[];
  /** The day whose prices hold, `YYYY-MM-DD`. */
  readonly day: string;
}

/** The models of this server that can do what a blueprint needs, in the order of the catalogue. */
export function capableModels(registry: Registry, need: ModelNeed, filter: ModelFilter): Model[] {
  return [...registry.models.values()].filter(
    (model) =>
      model.operation === 'chat' &&
      need.capabilities.every((capability) => model.capabilities.includes(capability)) &&
      isAsGood(model.russianQuality, need.russian_quality_min) &&
      (filter.allowedModels?.has(model.id) ?? true) &&
      model.deployments.some(({ jurisdiction }) => filter.jurisdictions.includes(jurisdiction)) &&
      priceOn(model.prices, filter.day) !== undefined,
  );
}

/** Judges every published criterion. Pure. */
export function readinessOf(facts: ReadinessFacts): BlueprintReadiness {
  const criteria = READINESS_CRITERIA.rows.map(({ code, description, weight }): JudgedCriterion => {
    const [met, evidence] = JUDGES[code](facts);
    return { code, description, weight, met, evidence };
  });
  const score = criteria.reduce((sum, { met, weight }) => sum + (met ? weight : 0), 0);
  return { score, criteria };
}

type Judge = (facts: ReadinessFacts) => readonly [met: boolean, evidence: string];

const JUDGES: Readonly<Record<ReadinessCriterion, Judge>> = {
  manifest_valid: ({ findings }) => countOf(findings, 'error'),
  manifest_clean: ({ findings }) => countOf(findings, 'warning'),
  fallback_declared: ({ manifest: { models } }) => {
    const { primary, fallback } = models;
    const named = fallback ? `${primary.sandbox_model}, then ${fallback.sandbox_model}` : 'none';
    return [hasFallback(models), named];
  },
  outputs_checked: ({ manifest: { steps } }) => {
    const asked = steps.filter((step) => step.type === 'llm');
    const checked = asked.filter((step) => step.output_schema !== undefined);
    return [checked.length === asked.length, `${checked.length} of ${asked.length} steps`];
  },
  result_checked: ({ manifest }) => {
    const { isChecked, good } = goldenCases(manifest);
    return [isChecked, good];
  },
  personal_data_protected: ({ manifest }) => {
    const { personal_data: classes } = manifest;
    const open = openClasses(manifest);
    if (open.length > 0) return [false, `not protected: ${open.join(', ')}`];
    return [true, classes.length > 0 ? `protected: ${classes.join(', ')}` : 'no class is declared'];
  },
  cost_bounded: ({ findings, manifest: { policies } }) => {
    const found = findings.find(({ rule }) => rule === 'unbounded_cost');
    return [!found, found?.message ?? `at most ${policies.budget.run_rub_max} RUB a run`];
  },
  sandbox_available: ({ manifest, registry }) => {
    const wanted = needsOf(manifest).map(({ need }) => need.sandbox_model);
    const lacking = wanted.filter((id) => !registry.models.has(id));
    if (lacking.length > 0) return [false, `not on this server: ${lacking.join(', ')}`];
    return [true, wanted.join(', ')];
  },
  model_available: ({ manifest: { models }, registry, day }) => {
    const real = realModels(registry, models.primary, day);
    return [real.length > 0, listed(real)];
  },
  fallback_available: ({ manifest: { models }, registry, day }) => {
    const [first] = realModels(registry, models.primary, day);
    const others = models.fallback ? realModels(registry, models.fallback, day) : [];
    const real = others.filter((id) => id !== first);
    return [first !== undefined && real.length > 0, listed(real)];
  },
};

function countOf(findings: readonly LintFinding[], level: string): readonly [boolean, string] {
  const found = findings.filter((finding) => finding.level === level);
  const rules = [...new Set(found.map(({ rule }) => rule))];
  return [found.length === 0, found.length === 0 ? `no ${level}` : rules.join(', ')];
}

const ANYWHERE: readonly Jurisdiction[] = ['rf', 'outside'];
const INSIDE: readonly Jurisdiction[] = ['rf'];
const SHOWN_MAX = 5;

function realModels(registry: Registry, need: ModelNeed, day: string): string[] {
  return capableModels(registry, need, { jurisdictions: ANYWHERE, day })
    .filter(({ simulated }) => !simulated)
    .map(({ id }) => id);
}

function listed(ids: readonly string[]): string {
  if (ids.length === 0) return 'none is configured on this server';
  const more = ids.length > SHOWN_MAX ? `, and ${ids.length - SHOWN_MAX} more` : '';
  return ids.slice(0, SHOWN_MAX).join(', ') + more;
}

/** The routes that a policy leaves open; personal data stay inside whatever it says. */
export function openJurisdictions(manifest: Manifest, hybrid: string): readonly Jurisdiction[] {
  return hybrid === 'rf_only' || manifest.personal_data.length > 0 ? INSIDE : ANYWHERE;
}
