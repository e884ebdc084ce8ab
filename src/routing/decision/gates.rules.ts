import { CAPABILITIES, JURISDICTIONS } from '../../catalog/providers/vocabulary.js';
import { isRestricted } from '../../kernel/firewall/data-class.rules.js';
import { expectedCostMicro, windowTokensAbout } from './cost.rules.js';
import type { Features, RouteDeployment, RouteModel, Situation } from './tables.js';
import type { RouteRejection } from './vocabulary.js';
import { bitsOf, type WeighableDeployment, type WeighableModel } from './weighable.rules.js';

/** A model while it is decided about. Costs in micro-rubles, utility in basis points. */
export interface Judged {
  readonly model: RouteModel;
  rejection: RouteRejection | undefined;
  /** The deployment that the figures are of; undefined where none is able. */
  readonly deployment: RouteDeployment | undefined;
  readonly costMicro: number;
  /** The quality that is reckoned with, in basis points. */
  readonly quality: number;
  utility: number;
}

/** What every model of a decision is asked. */
export interface Asked {
  readonly features: Features;
  /** What the request needs, and where its data may be taken, as bits. */
  readonly needs: number;
  readonly routes: number;
  readonly isPersonal: boolean;
  /** The least quality, in basis points. */
  readonly qualityFloor: number;
  /** The most that it may cost, in micro-rubles. */
  readonly costMicroMax: number;
}

/** Rejections by limits of the terms: where all fall by them, the next best may answer. */
export const LIMITS: readonly RouteRejection[] = [
  'not_measured',
  'quality_below_floor',
  'latency_above_limit',
  'cost_above_limit',
];

/** What a request asks of every model. */
export function askedBy(features: Features, { terms }: Situation, qualityFloor: number): Asked {
  const { dataClass } = features;
  return {
    features,
    needs: bitsOf(CAPABILITIES.codes, features.needs),
    routes: bitsOf(JURISDICTIONS.codes, features.jurisdictionsAllowed),
    isPersonal: isRestricted(dataClass),
    qualityFloor,
    costMicroMax:
      terms.costMicroMax === null ? Number.POSITIVE_INFINITY : Number(terms.costMicroMax),
  };
}

/** Passes a model through the hard gates in their order; the first that it fails is its reason. */
export function judge(one: WeighableModel, asked: Asked): Judged {
  const { model, quality } = one;
  const able = ableDeployment(one, asked);
  if (typeof able === 'string') {
    return { model, rejection: able, deployment: undefined, costMicro: 0, quality, utility: -1 };
  }
  const costMicro = expectedCostMicro(asked.features, able);
  const rejection = one.rejection ?? beyondLimits(one, costMicro, asked);
  return { model, rejection, deployment: able.deployment, costMicro, quality, utility: -1 };
}

/** The first deployment that may and can answer, else the gate that closed the last of them. */
function ableDeployment(
  { model: { model, operation }, isInContract, deployments }: WeighableModel,
  asked: Asked,
): WeighableDeployment | RouteRejection {
  const { features } = asked;
  if (operation !== features.operation) return 'other_operation';
  if (features.modelsAllowed !== null && !features.modelsAllowed.includes(model)) {
    return 'not_allowed';
  }
  if (features.modelsBarred?.includes(model)) return 'kept_out_by_budget';
  if (!isInContract) return 'not_in_contract';
  let furthest = 0;
  for (const deployment of deployments) {
    const passed = gatesPassed(deployment, asked);
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
function gatesPassed(one: WeighableDeployment, asked: Asked): number {
  const { features, needs, routes, isPersonal } = asked;
  if (!one.isInContract) return 0;
  // Personal data stays inside, also where whoever asks would let it out.
  if ((one.route & routes) === 0 || (isPersonal && !one.isInside)) return 1;
  if ((one.capabilities & needs) !== needs) return 2;
  if (windowTokensAbout(features, one.imageTokensMax) > one.contextWindow) return 3;
  if (!one.isPriced) return 4;
  return one.isHealthy ? DEPLOYMENT_GATES.length : 5;
}

function beyondLimits(
  { hasLimits, quality, isTooSlow }: WeighableModel,
  costMicro: number,
  { qualityFloor, costMicroMax }: Asked,
): RouteRejection | undefined {
  if (!hasLimits) return undefined;
  if (quality < qualityFloor) return 'quality_below_floor';
  if (isTooSlow) return 'latency_above_limit';
  return costMicro > costMicroMax ? 'cost_above_limit' : undefined;
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
