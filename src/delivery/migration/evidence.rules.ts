import type { Evidence, ItemResult } from './comparison-tables.js';
import { EVIDENCE_MINIMUMS } from './vocabulary.js';

/** What is counted of one use case. */
export interface UseCaseCounts {
  /** Null for the whole project, where a migration names no use case. */
  readonly useCase: string | null;
  /** Live requests of clients, counted up to the minimum. */
  readonly liveRequests: number;
}

/** Items that are evidence: a real model answered, and an echo and other answers would fail. */
function provingItems(results: readonly ItemResult[]): ItemResult[] {
  return results.filter(
    ({ errorCode, simulated, echo, provesNothing }) =>
      !errorCode && !simulated && !echo && !provesNothing,
  );
}

/** The evidence of each use case beside each published minimum, in their order. */
export function evidenceOf(
  useCases: readonly UseCaseCounts[],
  results: readonly ItemResult[],
): Evidence[] {
  const proving = provingItems(results);
  return useCases.flatMap(({ useCase, liveRequests }) => {
    const items = proving.filter((item) => useCase === null || item.useCase === useCase);
    const found = {
      live_requests: liveRequests,
      evaluation_items: items.length,
      source_outputs: items.filter(({ sourcePassed }) => sourcePassed !== null).length,
    };
    return EVIDENCE_MINIMUMS.rows.map(({ code, minimum, provenance }) => ({
      useCase,
      minimum: code,
      required: minimum,
      found: found[code],
      provenance,
    }));
  });
}

/** Which numbers are missing, in words; empty where every minimum is reached. */
export function evidenceGaps(evidence: readonly Evidence[]): string[] {
  return evidence
    .filter(({ found, required }) => found < required)
    .map(({ useCase, minimum, found, required }) => {
      const where = useCase === null ? 'the project' : useCase;
      return `${where} has ${found} of ${required} ${minimum}`;
    });
}
