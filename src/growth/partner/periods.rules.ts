import { MOSCOW_OFFSET_MS, VAT_RATES } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import type { PartnerTerms } from './tables.js';

/** A version of terms with the moment of its publication. */
export interface PublishedTerms {
  readonly version: number;
  readonly body: PartnerTerms;
  readonly createdAt: Date;
}

/** From when on a version holds: as it says, and never before it was published. */
function beginOf({ body: { effectiveFrom }, createdAt }: PublishedTerms): Date {
  return effectiveFrom !== null && effectiveFrom > createdAt ? effectiveFrom : createdAt;
}

/** The latest version that has begun at a moment, of versions with the latest first. */
export function termsAt(versions: readonly PublishedTerms[], at: Date): PublishedTerms | null {
  return versions.find((each) => beginOf(each) <= at) ?? null;
}

/** When rates of tax begin, at midnight of Moscow. */
const RATE_BEGINS = VAT_RATES.map(
  ({ effectiveFrom }) => new Date(Date.parse(`${effectiveFrom}T00:00:00Z`) - MOSCOW_OFFSET_MS),
);

/** The parts of a window between the begins of terms and of rates of tax. */
export function periodsOf({ from, to }: Window, terms: readonly PublishedTerms[]): Window[] {
  const inside = [...RATE_BEGINS, ...terms.map(beginOf)]
    .map((at) => at.getTime())
    .filter((ms) => ms > from.getTime() && ms < to.getTime());
  const begins = [from.getTime(), ...[...new Set(inside)].sort((one, other) => one - other)];
  return begins.map((ms, index) => ({
    from: new Date(ms),
    to: new Date(begins[index + 1] ?? to.getTime()),
  }));
}
