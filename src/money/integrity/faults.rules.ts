import { type MicroRub, taxInside } from '../../kernel/money.js';
import type { IntegrityFault } from './vocabulary.js';

/** What both traces say of one request, each by its own rows. */
export interface RequestFacts {
  readonly tenantId: string;
  readonly requestId: string;
  /** Lines of the ledger, by kind. */
  readonly holds: number;
  readonly charges: number;
  readonly releases: number;
  /** What the charges add up to, with their tax; null without one. */
  readonly chargedMicro: MicroRub | null;
  readonly chargedVatMicro: MicroRub | null;
  readonly chargedRate: number | null;
  /** How the usage row says that it ended; null without a row. */
  readonly status: 'complete' | 'partial' | 'failed' | null;
  readonly usedMicro: MicroRub | null;
  readonly usedVatMicro: MicroRub | null;
  readonly usedRate: number | null;
  /** Tokens times the prices of the row; null where a price is missing. */
  readonly replayedMicro: MicroRub | null;
  /** Whether the price row had begun on the day of the usage row. */
  readonly priceBegun: boolean | null;
  readonly heldAt: Date | null;
  readonly endedAt: Date | null;
  readonly usedAt: Date | null;
}

interface FaultRule {
  readonly fault: IntegrityFault;
  readonly isBroken: (facts: RequestFacts) => boolean;
}

function ends({ charges, releases }: RequestFacts): number {
  return charges + releases;
}

/** True where the usage row says that something was delivered. */
export function isServed({ status }: Pick<RequestFacts, 'status'>): boolean {
  return status === 'complete' || status === 'partial';
}

/** A charge with its usage: only a pair can be compared. */
function isPair(facts: RequestFacts): boolean {
  return facts.charges > 0 && isServed(facts);
}

const RULES: readonly FaultRule[] = [
  { fault: 'orphan_charge', isBroken: (facts) => facts.charges > 0 && !isServed(facts) },
  {
    fault: 'orphan_usage',
    isBroken: (facts) =>
      isServed(facts) ? facts.charges === 0 : facts.status === 'failed' && ends(facts) === 0,
  },
  { fault: 'orphan_end', isBroken: (facts) => facts.holds === 0 && ends(facts) > 0 },
  { fault: 'double', isBroken: (facts) => facts.holds > 1 || ends(facts) > 1 },
  {
    fault: 'amount_differs',
    isBroken: (facts) => isPair(facts) && facts.chargedMicro !== facts.usedMicro,
  },
  {
    fault: 'tax_differs',
    isBroken: (facts) =>
      isPair(facts) &&
      (facts.chargedVatMicro !== facts.usedVatMicro || facts.chargedRate !== facts.usedRate),
  },
  {
    fault: 'replay_differs',
    isBroken: (facts) => isPair(facts) && facts.chargedMicro !== facts.replayedMicro,
  },
  {
    fault: 'tax_replay_differs',
    isBroken: (facts) =>
      isPair(facts) &&
      facts.chargedVatMicro !== taxInside(facts.chargedMicro ?? 0n, facts.chargedRate ?? 0).vat,
  },
  { fault: 'price_not_in_force', isBroken: (facts) => isPair(facts) && !facts.priceBegun },
];

/** Everything that is wrong with a request, by what both traces say; time is no matter here. */
export function faultsOf(facts: RequestFacts): IntegrityFault[] {
  return RULES.filter(({ isBroken }) => isBroken(facts)).map(({ fault }) => fault);
}

/** True for a request that was held and of which nothing more is told yet. */
export function isOpen(facts: RequestFacts): boolean {
  return facts.holds > 0 && ends(facts) === 0 && facts.status === null;
}

/** The faults of a request at a moment: one that is open for too long is dangling. */
export function faultsAt(facts: RequestFacts, danglingBefore: Date): IntegrityFault[] {
  const { heldAt } = facts;
  const isDangling = isOpen(facts) && heldAt !== null && heldAt < danglingBefore;
  return isDangling ? [...faultsOf(facts), 'dangling'] : faultsOf(facts);
}
