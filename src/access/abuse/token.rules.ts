import type { Fault } from '../../kernel/errors/fail.js';
import { fault, range } from '../../kernel/errors/faults.js';
import { formatRub } from '../../kernel/money.js';
import { EPHEMERAL_SCOPES, type EphemeralScope, type TokenState } from './vocabulary.js';

/** What is asked of a new token; null takes the default of its scope. Money in micro-rubles. */
export interface TokenWish {
  readonly scope: EphemeralScope;
  readonly ttlSeconds: number | null;
  readonly maxRequests: number | null;
  readonly maxCostMicro: bigint | null;
}

/** What a token may do, with nothing left open. */
export interface TokenTerms {
  readonly ttlSeconds: number;
  readonly maxRequests: number;
  readonly maxCostMicro: bigint;
}

/** The terms that follow from a wish, and each that its scope does not allow. */
export function tokenTerms(wish: TokenWish): { terms: TokenTerms; faults: readonly Fault[] } {
  const bounds = EPHEMERAL_SCOPES.find(wish.scope);
  if (!bounds) throw new TypeError(`${wish.scope} is no scope of tokens`);
  const terms = {
    ttlSeconds: wish.ttlSeconds ?? bounds.ttlSecondsDefault,
    maxRequests: wish.maxRequests ?? bounds.requestsDefault,
    maxCostMicro: wish.maxCostMicro ?? bounds.costMicroDefault,
  };
  const faults = [
    ...range('input.ttlSeconds', terms.ttlSeconds, { min: 1, max: bounds.ttlSecondsMax }),
    ...range('input.maxRequests', terms.maxRequests, { min: 1, max: bounds.requestsMax }),
    ...range(
      'input.maxCostRub',
      terms.maxCostMicro,
      { min: 1n, max: bounds.costMicroMax },
      formatRub,
    ),
  ];
  return { terms, faults };
}

/** The models of a token, each of which must be known; an empty list would allow nothing. */
export function tokenModelFaults(
  models: readonly string[] | null,
  known: ReadonlySet<string>,
): Fault[] {
  if (models === null) return [];
  const path = 'input.allowedModels';
  if (models.length === 0) return [fault(path, 'out_of_range', 'must name at least one model')];
  return models.flatMap((model, index): Fault[] => {
    const what = `names ${model}, which no model is called; see GET /v1/models`;
    return known.has(model) ? [] : [fault(`${path}.${index}`, 'unknown_value', what)];
  });
}

/** What decides how a token stands. Money in micro-rubles. */
export interface TokenFacts {
  readonly revokedAt: Date | null;
  readonly expiresAt: Date | null;
  readonly requestsUsed: number;
  readonly requestsMax: number;
  readonly spentMicro: bigint;
  readonly heldMicro: bigint;
  readonly costMaxMicro: bigint;
}

/** How a token stands at a moment: the first reason not to work counts. */
export function tokenState(facts: TokenFacts, now: Date): TokenState {
  if (facts.revokedAt) return 'revoked';
  if (facts.expiresAt && facts.expiresAt <= now) return 'expired';
  if (facts.requestsUsed >= facts.requestsMax) return 'requests_exhausted';
  return remainingCostMicro(facts) === 0n ? 'cost_exhausted' : 'active';
}

/** What a token may still cost, in micro-rubles: what is held for open requests is not free. */
export function remainingCostMicro({
  spentMicro,
  heldMicro,
  costMaxMicro,
}: Pick<TokenFacts, 'spentMicro' | 'heldMicro' | 'costMaxMicro'>): bigint {
  const used = spentMicro + heldMicro;
  return used < costMaxMicro ? costMaxMicro - used : 0n;
}
