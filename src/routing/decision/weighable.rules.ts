import { CAPABILITIES, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import type { RouteDeployment, RouteModel, Situation, Terms } from './tables.js';
import { type RouteRejection, SCORECARD_SOURCES } from './vocabulary.js';

/** A deployment as the gates read it: numbers beside each other, of which bits stand for lists. */
export interface WeighableDeployment {
  readonly deployment: RouteDeployment;
  /** Whether the terms allow its provider. */
  readonly isInContract: boolean;
  readonly isInside: boolean;
  readonly route: number;
  readonly capabilities: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly imageTokensMax: number;
  /** List prices of a million tokens, in micro-rubles. */
  readonly inputPrice: number;
  readonly outputPrice: number;
  readonly isPriced: boolean;
  readonly isHealthy: boolean;
}

/** A model with all that follows from its situation, whatever is asked. */
export interface WeighableModel {
  readonly model: RouteModel;
  readonly isInContract: boolean;
  /** What the pin or the limits of the terms say against it before any figure of a request. */
  readonly rejection: RouteRejection | undefined;
  /** Whether quality and cost of the request are held against limits at all. */
  readonly hasLimits: boolean;
  /** The quality that is reckoned with, in basis points. */
  readonly quality: number;
  readonly isTooSlow: boolean;
  readonly deployments: readonly WeighableDeployment[];
}

const known = new WeakMap<Situation, readonly WeighableModel[]>();

/** The models of a situation, ready to be weighed: worked out once for all its decisions. */
export function weighable(situation: Situation): readonly WeighableModel[] {
  let models = known.get(situation);
  if (models === undefined) {
    models = situation.models.map((model) => weighableModel(model, situation));
    known.set(situation, models);
  }
  return models;
}

/** A set of codes as bits, by their places in the vocabulary. */
export function bitsOf<C extends string>(all: readonly C[], codes: readonly C[]): number {
  let bits = 0;
  for (const code of codes) bits |= 1 << all.indexOf(code);
  return bits;
}

/** The quality that is reckoned with: the lower end of its interval where only proof counts. */
function reckonedQuality(model: RouteModel, { mode }: Terms): number {
  return mode === 'ASSURED' ? model.qualityLowBasisPoints : model.qualityBasisPoints;
}

function weighableModel(model: RouteModel, situation: Situation): WeighableModel {
  const { terms, killSwitch } = situation;
  const { mode, modelsAllowed, latencyMsMax } = terms;
  const isWaitedFor = mode !== 'BATCH' && latencyMsMax !== null;
  // Whoever pins a model has decided already.
  const hasLimits = mode !== 'FIXED' && killSwitch.state !== 'PINNED';
  return {
    model,
    isInContract: modelsAllowed.length === 0 || modelsAllowed.includes(model.model),
    rejection: pinned(model, situation) ?? (hasLimits ? unproven(model, terms) : undefined),
    hasLimits,
    quality: reckonedQuality(model, terms),
    isTooSlow: isWaitedFor && model.latencyMs > latencyMsMax,
    deployments: model.deployments.map((each) => weighableDeployment(each, model, terms)),
  };
}

/** A pin without a model lets nobody answer. */
function pinned({ model }: RouteModel, { terms, killSwitch }: Situation) {
  const isSwitched = killSwitch.state === 'PINNED';
  if (!isSwitched && terms.mode !== 'FIXED') return undefined;
  const only = isSwitched ? killSwitch.pinnedModel : terms.pinnedModel;
  return only === model ? undefined : ('not_pinned' as const);
}

function unproven({ qualitySource }: RouteModel, { mode }: Terms) {
  if (mode !== 'ASSURED' || SCORECARD_SOURCES.find(qualitySource)?.isMeasured) return undefined;
  return 'not_measured' as const;
}

function weighableDeployment(
  deployment: RouteDeployment,
  { operation }: RouteModel,
  { providersAllowed }: Terms,
): WeighableDeployment {
  const { inputMicroPerMillion: input, outputMicroPerMillion: output } = deployment;
  return {
    deployment,
    isInContract: providersAllowed.length === 0 || providersAllowed.includes(deployment.provider),
    isInside: deployment.jurisdiction === 'rf',
    route: bitsOf(JURISDICTIONS.codes, [deployment.jurisdiction]),
    capabilities: bitsOf(CAPABILITIES.codes, deployment.capabilities),
    contextWindow: deployment.contextWindow,
    maxOutputTokens: deployment.maxOutputTokens,
    imageTokensMax: deployment.imageTokensMax,
    inputPrice: Number(input ?? 0n),
    outputPrice: Number(output ?? 0n),
    isPriced: input !== null && (output !== null || operation !== 'chat'),
    isHealthy: deployment.isHealthy,
  };
}
