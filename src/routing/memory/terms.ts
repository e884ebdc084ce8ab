import { EVERY_SCOPE, type RoutingContractTerms, type SwitchTerms } from '../adaptive/records.js';
import type { KillSwitch, Terms } from '../decision/tables.js';
import { DEFAULT_TERMS, SWITCH_ACTIVE } from '../decision/terms.rules.js';
import type { RoutePolicyTerms } from '../economics/records.js';
import { OBJECTIVES } from '../economics/vocabulary.js';
import { type InForce, incumbentKey, type RoutingState } from './state.js';

/** The use case of requests that name none, and the key of what holds for all others. */
export const DEFAULT_USE = 'default';

/** A route policy as terms of the router. */
function termsOfPolicy({ version, terms }: InForce<RoutePolicyTerms>): Terms {
  const { policyKey, objective, ...limits } = terms;
  return {
    ...DEFAULT_TERMS,
    ...limits,
    origin: 'ROUTE_POLICY',
    contractKey: policyKey,
    contractVersion: version,
    mode: OBJECTIVES.find(objective)?.mode ?? DEFAULT_TERMS.mode,
  };
}

/** A routing contract as terms of the router. */
export function termsOfContract({ version, terms }: InForce<RoutingContractTerms>): Terms {
  const whenUnmeasured = terms.whenUnmeasured ?? 'REFUSE';
  return { ...terms, whenUnmeasured, origin: 'CONTRACT', contractVersion: version };
}

/** Whether anything but what holds for every use is laid down, or reported, of a use case. */
export function isLaidDown(
  useCase: string,
  { contracts, policies, scorecards, switches }: RoutingState,
  outcomes: ReadonlyMap<string, unknown>,
): boolean {
  if ([contracts, policies, scorecards, outcomes].some((each) => each.has(useCase))) return true;
  const isFrozen = ({ frozen }: SwitchTerms) => frozen.some((each) => each.useCase === useCase);
  return [...switches.values()].some(({ latest }) => isFrozen(latest.terms));
}

/** What is in force for a request. */
export interface InForceForUse {
  readonly terms: Terms;
  readonly killSwitch: KillSwitch;
  readonly incumbent: string | null;
}

/**
 * What holds for a use case: its routing contract, else the default one, else the route policy of
 * that key, else the default one, else the published terms. A policy that is named holds instead.
 * The kill switch of all scopes comes before that of the contract; a contract that is rolled back
 * holds as it was before its latest version.
 * @returns undefined for a policy that nobody has published
 */
export function inForce(
  state: RoutingState,
  useCase: string,
  policyKey?: string,
): InForceForUse | undefined {
  const named = policyKey === undefined ? undefined : state.policies.get(policyKey);
  if (policyKey !== undefined && named === undefined) return undefined;
  const contract = named
    ? undefined
    : (state.contracts.get(useCase) ?? state.contracts.get(DEFAULT_USE));
  const policy = named ?? state.policies.get(useCase) ?? state.policies.get(DEFAULT_USE);
  const key = contract?.latest.terms.contractKey ?? policy?.latest.terms.policyKey ?? DEFAULT_USE;
  const switched = switchOf(state, key);
  const rolledBack = switched?.state === 'ROLLED_BACK';
  const terms = contract
    ? termsOfContract((rolledBack && contract.before) || contract.latest)
    : policy
      ? termsOfPolicy((rolledBack && policy.before) || policy.latest)
      : DEFAULT_TERMS;
  const frozen = switched?.frozen.find((each) => each.useCase === useCase)?.model;
  const { state: position, pinnedModel } = switched ?? SWITCH_ACTIVE;
  return {
    terms,
    killSwitch: { state: position, pinnedModel },
    incumbent: frozen ?? state.incumbents.get(incumbentKey(key, useCase)) ?? null,
  };
}

function switchOf({ switches }: RoutingState, key: string) {
  const every = switches.get(EVERY_SCOPE)?.latest.terms;
  return every && every.state !== 'ACTIVE' ? every : (switches.get(key)?.latest.terms ?? every);
}
