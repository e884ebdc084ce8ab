import type { MicroRub } from '../../kernel/money.js';
import type { CodeOf } from '../../kernel/vocabulary.js';
import type { Window } from '../../kernel/window.rules.js';
import { faultsAt, isOpen, isServed, type RequestFacts } from './faults.rules.js';
import {
  FAULTS_SHOWN_MAX,
  type INTEGRITY_BASES,
  INTEGRITY_FAULTS,
  type IntegrityFault,
} from './vocabulary.js';

/** In what groups faulty requests are counted. */
export type FaultGroup = (typeof INTEGRITY_FAULTS.rows)[number]['counted'];

/** Every group once. */
export const FAULT_GROUPS: readonly FaultGroup[] = [
  ...new Set(INTEGRITY_FAULTS.rows.map(({ counted }) => counted)),
];

/** The faults of a group. */
export function faultsOfGroup(group: FaultGroup): IntegrityFault[] {
  return INTEGRITY_FAULTS.rows.filter(({ counted }) => counted === group).map(({ code }) => code);
}

/** What ledger lines and usage rows of a window add up to. */
export interface Sums {
  readonly holds: bigint;
  readonly charges: bigint;
  readonly releases: bigint;
  readonly chargedMicro: MicroRub;
  readonly served: bigint;
  readonly failed: bigint;
  readonly usedMicro: MicroRub;
  readonly replayedMicro: MicroRub;
  /** Rows that were read one by one, and not as the sum of an hour. */
  readonly rawRows: bigint;
}

/** The sums of nothing. */
export const NO_SUMS: Sums = {
  holds: 0n,
  charges: 0n,
  releases: 0n,
  chargedMicro: 0n,
  served: 0n,
  failed: 0n,
  usedMicro: 0n,
  replayedMicro: 0n,
  rawRows: 0n,
};

/** Both together. */
export function addSums(one: Sums, other: Sums): Sums {
  const names = Object.keys(NO_SUMS) as (keyof Sums)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Sums;
}

/** How many requests of a window are not whole, and what of its sums stands in no pair. */
export interface FaultTally {
  readonly counts: Readonly<Record<FaultGroup, number>>;
  /** Requests with any fault of each check; a request counts once. */
  readonly incomplete: number;
  /** Requests that were held and may still end. */
  readonly underWay: number;
  /** Charges without usage, and usage without a charge. */
  readonly unpairedCharges: number;
  readonly unpairedChargedMicro: MicroRub;
  readonly unpairedUsedMicro: MicroRub;
  readonly unpairedReplayedMicro: MicroRub;
  /** How many charges more than served rows these requests have in the window, and for how much. */
  readonly unevenCharges: number;
  readonly unevenMicro: MicroRub;
  /** How much more was charged for them than their replay gives. */
  readonly unevenReplayedMicro: MicroRub;
}

/** The tally of nothing. */
export const NO_FAULTS: FaultTally = {
  counts: { orphans: 0, doubles: 0, danglings: 0, mismatches: 0, discrepancies: 0, alterations: 0 },
  incomplete: 0,
  underWay: 0,
  unpairedCharges: 0,
  unpairedChargedMicro: 0n,
  unpairedUsedMicro: 0n,
  unpairedReplayedMicro: 0n,
  unevenCharges: 0,
  unevenMicro: 0n,
  unevenReplayedMicro: 0n,
};

/** Both together. */
export function addTallies(one: FaultTally, other: FaultTally): FaultTally {
  const groups = FAULT_GROUPS.map((group) => [group, one.counts[group] + other.counts[group]]);
  return {
    counts: Object.fromEntries(groups) as FaultTally['counts'],
    incomplete: one.incomplete + other.incomplete,
    underWay: one.underWay + other.underWay,
    unpairedCharges: one.unpairedCharges + other.unpairedCharges,
    unpairedChargedMicro: one.unpairedChargedMicro + other.unpairedChargedMicro,
    unpairedUsedMicro: one.unpairedUsedMicro + other.unpairedUsedMicro,
    unpairedReplayedMicro: one.unpairedReplayedMicro + other.unpairedReplayedMicro,
    unevenCharges: one.unevenCharges + other.unevenCharges,
    unevenMicro: one.unevenMicro + other.unevenMicro,
    unevenReplayedMicro: one.unevenReplayedMicro + other.unevenReplayedMicro,
  };
}

function isIn({ from, to }: Window, at: Date | null): boolean {
  return at !== null && at >= from && at < to;
}

/** True where any line or row of the request stands in the window. */
export function touches(window: Window, { heldAt, endedAt, usedAt }: RequestFacts): boolean {
  return [heldAt, endedAt, usedAt].some((at) => isIn(window, at));
}

/** What one request adds to the tally of a window. */
export function tallyOf(facts: RequestFacts, window: Window, danglingBefore: Date): FaultTally {
  const told = new Set<IntegrityFault>(faultsAt(facts, danglingBefore));
  const groups = FAULT_GROUPS.map((group) => {
    const isHit = faultsOfGroup(group).some((fault) => told.has(fault));
    return [group, isHit ? 1 : 0] as const;
  });
  const counts = Object.fromEntries(groups) as FaultTally['counts'];
  const isLoneCharge = told.has('orphan_charge') && isIn(window, facts.endedAt);
  const isLoneUsage = told.has('orphan_usage') && isIn(window, facts.usedAt);
  return {
    counts,
    incomplete: counts.orphans + counts.doubles + counts.danglings > 0 ? 1 : 0,
    underWay: isOpen(facts) && !told.has('dangling') ? 1 : 0,
    unpairedCharges: isLoneCharge ? facts.charges : 0,
    unpairedChargedMicro: isLoneCharge ? (facts.chargedMicro ?? 0n) : 0n,
    unpairedUsedMicro: isLoneUsage ? (facts.usedMicro ?? 0n) : 0n,
    unpairedReplayedMicro: isLoneUsage ? (facts.replayedMicro ?? 0n) : 0n,
    ...unevenOf(facts, window),
  };
}

/** A request that is whole has one served row beside its charge, for as much. */
function unevenOf(facts: RequestFacts, window: Window) {
  const { charges, chargedMicro, endedAt, usedMicro, replayedMicro, usedAt } = facts;
  const [hasEnded, isUsed] = [isIn(window, endedAt), isIn(window, usedAt)];
  const hasServed = isUsed && isServed(facts);
  const charged = hasEnded ? (chargedMicro ?? 0n) : 0n;
  return {
    unevenCharges: (hasEnded ? charges : 0) - (hasServed ? 1 : 0),
    unevenMicro: charged - (isUsed ? (usedMicro ?? 0n) : 0n),
    unevenReplayedMicro: charged - (hasServed ? (replayedMicro ?? 0n) : 0n),
  };
}

/** By how much the traces differ in the requests that are not whole. */
type Uneven = Pick<FaultTally, 'unevenCharges' | 'unevenMicro' | 'unevenReplayedMicro'>;

/**
 * Whether the requests that are not whole are all that the sums of the two traces, and of the
 * replay, differ by. Where they are not, a row was changed, removed or added past the proof.
 */
export function isExplained(sums: Sums, uneven: Uneven): boolean {
  const { charges, served, chargedMicro, usedMicro, replayedMicro } = sums;
  return (
    charges - served === BigInt(uneven.unevenCharges) &&
    chargedMicro - usedMicro === uneven.unevenMicro &&
    chargedMicro - replayedMicro === uneven.unevenReplayedMicro
  );
}

/** A request that is not whole, with what is wrong with it. */
export interface FaultyRequest {
  readonly facts: RequestFacts;
  readonly faults: readonly IntegrityFault[];
}

/** What the books of a window say. */
export interface WindowFacts {
  readonly sums: Sums;
  readonly tally: FaultTally;
  /** Requests with one of the faults that were asked for, by their ids, as many as are shown. */
  readonly faulty: readonly FaultyRequest[];
  /** True where too much came after the proof; then nothing was read. */
  readonly isBehind: boolean;
  /** Whether the rows were read anew, or their proof. */
  readonly basis: CodeOf<typeof INTEGRITY_BASES>;
}

/** What is said of a window while the proof is too far behind. */
export const BEHIND: WindowFacts = {
  sums: NO_SUMS,
  tally: NO_FAULTS,
  faulty: [],
  isBehind: true,
  basis: 'incremental',
};

/** Those with one of the wanted faults, in the order of their ids, as many as are shown. */
export function shownOf(
  all: readonly RequestFacts[],
  wanted: readonly IntegrityFault[],
  danglingBefore: Date,
): FaultyRequest[] {
  return all
    .map((facts) => ({
      facts,
      faults: faultsAt(facts, danglingBefore).filter((fault) => wanted.includes(fault)),
    }))
    .filter(({ faults }) => faults.length > 0)
    .sort((a, b) => (a.facts.requestId < b.facts.requestId ? -1 : 1))
    .slice(0, FAULTS_SHOWN_MAX);
}
