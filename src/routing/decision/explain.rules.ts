import type { ValuesOf } from '../../kernel/fields/field.js';
import { windowTokensAbout } from './cost.rules.js';
import { type Decision, type DecisionInputs, decideRoute } from './decide.rules.js';
import type { Judged } from './gates.rules.js';
import { marginBasisPoints } from './margin.rules.js';
import type { DECISION_FIELDS, ROUTE_CANDIDATE, ROUTE_STAGE } from './tables.js';
import { answersInRussia, orderByQuality } from './utility.rules.js';
import { BASIS_POINTS, ROUTE_REJECTIONS, type RouteRejection } from './vocabulary.js';

/** A decision as it is shown and sealed. */
export type Explained = ValuesOf<typeof DECISION_FIELDS>;

/** Decides, and says why: every stage, and every model with its reason. */
export function explainRoute(inputs: DecisionInputs): Explained {
  return explained(decideRoute(inputs), inputs);
}

/** What a decision says of itself. */
function explained(decision: Decision, inputs: DecisionInputs): Explained {
  const { chosen, baseline, candidates } = decision;
  const cost = chosen && BigInt(chosen.costMicro);
  const premium = baseline && BigInt(baseline.costMicro);
  const ranked = orderByQuality(
    candidates.filter(({ utility }) => utility >= 0),
    inputs.situation,
  );
  return {
    verdict: decision.verdict,
    model: chosen?.model.model ?? null,
    complexity: decision.complexity,
    qualityFloorBasisPoints: decision.qualityFloor,
    explored: decision.explored,
    explorationBars: decision.explorationBars,
    keptIncumbent: decision.keptIncumbent,
    baselineModel: baseline?.model.model ?? null,
    baselineCostMicro: premium ?? null,
    expectedCostMicro: cost ?? null,
    costSavedMicro: cost === undefined || premium === undefined ? null : premium - cost,
    stages: decision.stages.map((stage) => stageShown(stage, decision, inputs)),
    candidates: candidates.map((one) => candidateShown(one, ranked.indexOf(one), decision, inputs)),
  };
}

function candidateShown(
  one: Judged,
  rank: number,
  decision: Decision,
  inputs: DecisionInputs,
): ValuesOf<typeof ROUTE_CANDIDATE.fields> {
  const { model, rejection, deployment, costMicro, quality, utility } = one;
  return {
    model: model.model,
    chosen: one === decision.chosen,
    rejection: rejection ?? null,
    reason: rejection ? reasonOf(one, rejection, decision, inputs) : null,
    qualityBasisPoints: quality,
    qualityRank: rank < 0 ? null : rank + 1,
    expectedCostMicro: deployment ? BigInt(costMicro) : null,
    latencyMs: model.latencyMs,
    utilityBasisPoints: utility < 0 ? null : utility,
  };
}

/** Why a model was not chosen, with the figures that decided. */
export function reasonOf(
  candidate: Judged,
  rejection: RouteRejection,
  { chosen, qualityFloor, explored }: Pick<Decision, 'chosen' | 'qualityFloor' | 'explored'>,
  { features, situation: { terms, killSwitch, ties } }: DecisionInputs,
): string {
  const { model, costMicro, quality, utility } = candidate;
  const { deployments } = model;
  switch (rejection) {
    case 'data_route_forbidden':
      return `its route is ${unique(deployments.map(({ jurisdiction }) => jurisdiction))}`;
    case 'capability_missing':
      return `it lacks ${lacking(deployments, features.needs).join(', ')}`;
    case 'context_too_long':
      return windowShown(deployments, features);
    case 'quality_below_floor':
      return `its quality is ${percent(quality)}, the floor is ${percent(qualityFloor)}`;
    case 'latency_above_limit':
      return `it is expected to take ${model.latencyMs} ms, the limit is ${terms.latencyMsMax} ms`;
    case 'cost_above_limit': {
      const limit = rub(Number(terms.costMicroMax));
      return `it is expected to cost ${rub(costMicro)} RUB, the limit is ${limit} RUB`;
    }
    case 'not_pinned':
      return `the router is pinned to ${killSwitch.pinnedModel ?? terms.pinnedModel ?? 'none'}`;
    case 'margin_below_floor': {
      const margin = percent(marginBasisPoints(terms.revenueMicro ?? 0n, costMicro));
      const least = percent(terms.marginBasisPointsMin ?? 0);
      return `it would leave a margin of ${margin}, ${least} is demanded`;
    }
    case 'passed_over': {
      const stands = explored ? 'was tried on purpose' : 'stays';
      return `its utility is ${percent(utility)}, yet ${chosen?.model.model} ${stands}`;
    }
    case 'lower_utility': {
      if (ties !== null && chosen && losesByJurisdiction(candidate, chosen)) {
        return `its utility is ${percent(utility)} as well, yet ${chosen.model.model} is in Russia`;
      }
      const other = `${chosen?.model.model} is ${percent(chosen?.utility ?? 0)}`;
      return `its utility is ${percent(utility)}, that of ${other}`;
    }
    default:
      return ROUTE_REJECTIONS.find(rejection)?.description ?? rejection;
  }
}

/** Whether only the jurisdiction decided between two candidates of equal utility. */
function losesByJurisdiction(one: Judged, chosen: Judged): boolean {
  return one.utility === chosen.utility && answersInRussia(chosen) && !answersInRussia(one);
}

type Deployments = Judged['model']['deployments'];

/** What no deployment has; where each of them lacks something else, all that any lacks. */
function lacking(deployments: Deployments, needs: DecisionInputs['features']['needs']) {
  const without = needs.filter(
    (need) => !deployments.some((one) => one.capabilities.includes(need)),
  );
  if (without.length > 0) return without;
  return needs.filter((need) => !deployments.every((one) => one.capabilities.includes(need)));
}

/** What the request needs of the widest window. */
function windowShown(deployments: Deployments, features: DecisionInputs['features']): string {
  const [widest] = [...deployments].sort((a, b) => b.contextWindow - a.contextWindow);
  const tokens = windowTokensAbout(features, widest?.imageTokensMax ?? 0);
  return `the request has about ${tokens} tokens, its window is ${widest?.contextWindow ?? 0}`;
}

function unique(codes: readonly string[]): string {
  return [...new Set(codes)].join(', ');
}

function percent(basisPoints: number): string {
  return `${(basisPoints * 100) / BASIS_POINTS} %`;
}

function rub(micro: number): string {
  return String(micro / 1_000_000);
}

function stageShown(
  { stage, candidatesLeft, leader }: Decision['stages'][number],
  decision: Decision,
  { situation: { terms, killSwitch, ties }, incumbent }: DecisionInputs,
): ValuesOf<typeof ROUTE_STAGE.fields> {
  const notes: Record<typeof stage, () => string> = {
    HARD_GATES: () => `${candidatesLeft} of ${decision.candidates.length} models pass every gate.`,
    UTILITY: () => {
      const order = `Ordered by the weights of ${terms.mode}`;
      return ties === null ? `${order}.` : `${order}; equal utilities: Russia first, then cost.`;
    },
    MARGIN_FIREWALL: () => {
      const least = terms.marginBasisPointsMin;
      if (least === null) return 'No margin is demanded.';
      if (terms.revenueMicro === null) {
        return `A margin of ${percent(least)} is demanded; what the request earns is not stated.`;
      }
      return `A margin of ${percent(least)} is demanded; nothing was reordered.`;
    },
    EXPLORATION: () => {
      if (decision.explored) return `${decision.chosen?.model.model} was tried on purpose.`;
      const bars = decision.explorationBars.join(', ');
      return bars === '' ? 'This request is none of those that explore.' : `Not allowed: ${bars}.`;
    },
    HYSTERESIS: () => {
      if (decision.keptIncumbent) return `${incumbent} stays; kill switch ${killSwitch.state}.`;
      return incumbent === null ? 'No model was present before.' : 'Nothing was held back.';
    },
  };
  return { stage, candidatesLeft, leader: leader?.model.model ?? null, note: notes[stage]() };
}
