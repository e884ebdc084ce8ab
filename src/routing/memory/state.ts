import type { Fields, ValuesOf } from '../../kernel/fields/field.js';
import { openedContent } from '../../kernel/fields/sealed.js';
import type { VersionRow } from '../../records/in-memory.js';
import {
  CONTRACT_FIELDS,
  KILL_SWITCHES,
  ROUTING_CONTRACTS,
  type RoutingContractTerms,
  SWITCH_FIELDS,
  type SwitchTerms,
} from '../adaptive/records.js';
import {
  MODEL_SCORECARDS,
  POLICY_FIELDS,
  ROUTE_POLICIES,
  type RoutePolicyTerms,
  SCORECARD_FIELDS,
  type Scorecard,
} from '../economics/records.js';

/** A version that is in force. */
export interface InForce<C> {
  readonly version: number;
  readonly terms: C;
}

/** The latest version of a contract, and the one before it. */
export interface LatestTwo<C> {
  readonly latest: InForce<C>;
  readonly before: InForce<C> | undefined;
}

/** All that a tenant has laid down about routing. */
export interface RoutingState {
  readonly contracts: ReadonlyMap<string, LatestTwo<RoutingContractTerms>>;
  readonly policies: ReadonlyMap<string, LatestTwo<RoutePolicyTerms>>;
  /** By use case, then by model. */
  readonly scorecards: ReadonlyMap<string, ReadonlyMap<string, Scorecard>>;
  readonly switches: ReadonlyMap<string, LatestTwo<SwitchTerms>>;
  /** By contract key and use case, joined by a line feed. */
  readonly incumbents: ReadonlyMap<string, string>;
}

/** A row of `routing_incumbent`, the latest of its use case. */
export interface IncumbentRow {
  readonly contract_key: string;
  readonly use_case: string;
  readonly model: string;
}

/** The kinds of versions that a state is read from. */
export const STATE_KINDS = [
  ROUTING_CONTRACTS.kind,
  ROUTE_POLICIES.kind,
  MODEL_SCORECARDS.kind,
  KILL_SWITCHES.kind,
];

/** A state from its rows. */
export function stateOf(
  versions: readonly VersionRow[],
  incumbents: readonly IncumbentRow[],
): RoutingState {
  const scorecards = new Map<string, Map<string, Scorecard>>();
  for (const { latest } of versionsOf(versions, MODEL_SCORECARDS.kind, SCORECARD_FIELDS).values()) {
    const { useCase, model } = latest.terms;
    const ofUse = scorecards.get(useCase) ?? new Map<string, Scorecard>();
    scorecards.set(useCase, ofUse.set(model, latest.terms));
  }
  return {
    contracts: versionsOf(versions, ROUTING_CONTRACTS.kind, CONTRACT_FIELDS),
    policies: versionsOf(versions, ROUTE_POLICIES.kind, POLICY_FIELDS),
    scorecards,
    switches: versionsOf(versions, KILL_SWITCHES.kind, SWITCH_FIELDS),
    incumbents: new Map(
      incumbents.map((row) => [incumbentKey(row.contract_key, row.use_case), row.model]),
    ),
  };
}

/** What an incumbent is kept under. */
export function incumbentKey(contractKey: string, useCase: string): string {
  return JSON.stringify([contractKey, useCase]);
}

function versionsOf<F extends Fields>(rows: readonly VersionRow[], kind: string, fields: F) {
  const found = new Map<string, LatestTwo<ValuesOf<F>>>();
  for (const row of rows) {
    if (row.kind !== kind) continue;
    const own = { version: row.version, terms: openedContent(fields, row.body) };
    const newer = found.get(row.contract_key);
    found.set(
      row.contract_key,
      newer ? { ...newer, before: own } : { latest: own, before: undefined },
    );
  }
  return found;
}
