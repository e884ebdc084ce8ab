import { expectedCostMicro, inputTokensAbout } from './cost.rules.js';
import type { Features, RouteDeployment, RouteModel, Situation, Terms } from './tables.js';
import { type RouteRejection, SCORECARD_SOURCES } from './vocabulary.js';

/** A model while it is decided about. Costs in micro-rubles, utility in basis points. */
export interface Judged {
  readonly model: RouteModel;
  rejection: RouteRejection | undefined;
  /** The deployment that the figures are of; undefined where none is able. */
  readonly deployment: RouteDeployment | undefined;
  readonly costMicro: number;
  utility: number;
}

/** What a gate asks about. */
export interface Asked {
  readonly features: Features;
  readonly situation: Situation;
  /** The least quality, in basis points. */
  readonly qualityFloor: number;
}

/** Rejections by limits of the terms: where all fall by them, the next best may answer. */
export const LIMITS: readonly RouteRejection[] = [
  'not_measured',
  'quality_below_floor',
  'latency_above_limit',
  'cost_above_limit',
];

/** The quality that is reckoned with: the lower end of its interval where only proof counts. */
export function reckonedQuality(model: RouteModel, { mode }: Terms): number {
  return mode === 'ASSURED' ? model.qualityLowBasisPoints : model.qualityBasisPoints;
}

/** Passes a model through the hard gates in their order; the first that it fails is its reason. */
export function judge(model: RouteModel, asked: Asked): Judged {
  const { features, situation } = asked;
  const able = ableDeployment(model, features, situation.terms);
  if (typeof able === 'string') {
    return { model, rejection: able, deployment: undefined, costMicro: 0, utility: -1 };
  }
  const costMicro = expectedCostMicro(features, able);
  const rejection = pinned(model, situation) ?? beyondLimits(model, costMicro, asked);
  return { model, rejection, deployment: able, costMicro, utility: -1 };
}

/** The first deployment that may and can answer, else the gate that closed the last of them. */
function ableDeployment(
  { model, operation, deployments }: RouteModel,
  features: Features,
  { modelsAllowed, providersAllowed }: Terms,
): RouteDeployment | RouteRejection {
  if (operation !== features.operation) return 'other_operation';
  if (features.modelsAllowed !== null && !features.modelsAllowed.includes(model)) {
    return 'not_allowed';
  }
  if (features.modelsBarred?.includes(model)) return 'kept_out_by_budget';
  if (modelsAllowed.length > 0 && !modelsAllowed.includes(model)) return 'not_in_contract';
  let furthest = 0;
  for (const deployment of deployments) {
    const passed = gatesPassed(deployment, features, providersAllowed);
    if (passed === DEPLOYMENT_GATES.length) return deployment;
    if (passed > furthest) furthest = passed;
  }
  return DEPLOYMENT_GATES[furthest] ?? 'not_in_contract';
}

/** What a deployment is asked, one after the other; the code tells which one it failed. */
const DEPLOYMENT_GATES: readonly RouteRejection[] = [
  'not_in_contract',
  'data_route_forbidden',
  'capability_missing',
  'context_too_long',
  'no_price',
  'unhealthy',
];

/** How many of the gates a deployment passes before the first that it fails. */
function gatesPassed(
  deployment: RouteDeployment,
  features: Features,
  providersAllowed: readonly string[],
): number {
  if (providersAllowed.length > 0 && !providersAllowed.includes(deployment.provider)) return 0;
  if (!mayTake(deployment, features)) return 1;
  for (const need of features.needs) if (!deployment.capabilities.includes(need)) return 2;
  const tokens = inputTokensAbout(features, deployment.imageTokensMax);
  if (Math.ceil(tokens / features.inputs) > deployment.contextWindow) return 3;
  const answers = features.operation === 'chat';
  if (deployment.inputMicroPerMillion === null) return 4;
  if (answers && deployment.outputMicroPerMillion === null) return 4;
  return deployment.isHealthy ? DEPLOYMENT_GATES.length : 5;
}

/** Personal data stays inside, also where whoever asks would let it out. */
function mayTake(
  { jurisdiction }: RouteDeployment,
  { dataClass, jurisdictionsAllowed }: Features,
): boolean {
  const isPersonal = dataClass === 'C3' || dataClass === 'C4';
  return jurisdictionsAllowed.includes(jurisdiction) && !(isPersonal && jurisdiction !== 'rf');
}

/** A pin without a model lets nobody answer. */
function pinned({ model }: RouteModel, { terms, killSwitch }: Situation) {
  const isSwitched = killSwitch.state === 'PINNED';
  if (!isSwitched && terms.mode !== 'FIXED') return undefined;
  const only = isSwitched ? killSwitch.pinnedModel : terms.pinnedModel;
  return only === model ? undefined : ('not_pinned' as const);
}

function beyondLimits(
  model: RouteModel,
  costMicro: number,
  { situation: { terms, killSwitch }, qualityFloor }: Asked,
): RouteRejection | undefined {
  // Whoever pins a model has decided already.
  if (terms.mode === 'FIXED' || killSwitch.state === 'PINNED') return undefined;
  if (terms.mode === 'ASSURED' && !SCORECARD_SOURCES.find(model.qualitySource)?.isMeasured) {
    return 'not_measured';
  }
  if (reckonedQuality(model, terms) < qualityFloor) return 'quality_below_floor';
  const { latencyMsMax, costMicroMax } = terms;
  const isWaitedFor = terms.mode !== 'BATCH' && latencyMsMax !== null;
  if (isWaitedFor && model.latencyMs > latencyMsMax) return 'latency_above_limit';
  if (costMicroMax !== null && costMicro > Number(costMicroMax)) return 'cost_above_limit';
  return undefined;
}

/** Made-up answers are chosen only where nothing real is able to answer. */
export function setSimulatedAside(judged: readonly Judged[]): void {
  const isAble = ({ deployment, rejection }: Judged) =>
    deployment !== undefined && rejection !== 'not_pinned';
  if (!judged.some((one) => isAble(one) && !one.model.isSimulated)) return;
  for (const one of judged) {
    if (isAble(one) && one.model.isSimulated) one.rejection = 'simulated';
  }
}
