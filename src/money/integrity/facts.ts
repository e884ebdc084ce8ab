import { faultsOf, type RequestFacts } from './faults.rules.js';

/** Facts as the driver reads them. */
export type FactsRow = {
  readonly [name in keyof RequestFacts]: name extends `${string}Micro`
    ? string | null
    : RequestFacts[name];
};

function micro(text: string | null): bigint | null {
  return text === null ? null : BigInt(text);
}

/** The facts of a row that a statement has read. */
export function factsOfRow(row: FactsRow): RequestFacts {
  return {
    ...row,
    chargedMicro: micro(row.chargedMicro),
    chargedVatMicro: micro(row.chargedVatMicro),
    usedMicro: micro(row.usedMicro),
    usedVatMicro: micro(row.usedVatMicro),
    replayedMicro: micro(row.replayedMicro),
  };
}

/** A row of `integrity_finding` as JSON: the facts under the names of its columns, with faults. */
export function findingOf(facts: RequestFacts): Record<string, unknown> {
  return {
    tenant_id: facts.tenantId,
    request_id: facts.requestId,
    holds: facts.holds,
    charges: facts.charges,
    releases: facts.releases,
    charged_micro: facts.chargedMicro?.toString(),
    charged_vat_micro: facts.chargedVatMicro?.toString(),
    charged_rate: facts.chargedRate,
    status: facts.status,
    used_micro: facts.usedMicro?.toString(),
    used_vat_micro: facts.usedVatMicro?.toString(),
    used_rate: facts.usedRate,
    replayed_micro: facts.replayedMicro?.toString(),
    price_begun: facts.priceBegun,
    held_at: facts.heldAt,
    ended_at: facts.endedAt,
    used_at: facts.usedAt,
    faults: faultsOf(facts),
  };
}
