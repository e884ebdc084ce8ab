import type { Provenance } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import { VERTICALS, type Vertical } from '../value/vocabulary.js';
import { priceOf, usagePrice } from './margin.rules.js';
import type { MarginReceipt, PartnerTerms, ReportClient, ReportLine } from './tables.js';

/** Usage of a client in one vertical, as the ledger charged it. */
export interface UsageLine {
  readonly vertical: Vertical;
  readonly requests: number;
  readonly costMicro: bigint;
  readonly simulatedRequests: number;
  readonly simulatedCostMicro: bigint;
}

/** Usage of a client. */
export interface ClientUsage {
  readonly clientId: string;
  readonly lines: readonly UsageLine[];
}

const NO_TERMS = 'No terms were in force for the client at the end of the window.';
const TERMS_CALL = 'terms of the client: POST /v1/gw/partner/terms';

function missing(terms: unknown) {
  return terms ? { reason: null, needed: [] } : { reason: NO_TERMS, needed: [TERMS_CALL] };
}

/** What a client has cost and what it is billed. */
export function receiptOf(
  { clientId, lines }: ClientUsage,
  terms: { readonly version: number; readonly body: PartnerTerms } | null,
  window: Window,
  costProvenance: Provenance,
): MarginReceipt {
  const body = terms?.body ?? null;
  const costs = lines.map(({ costMicro }) => costMicro);
  return {
    clientId,
    ...window,
    ...priceOf(body, costs, window),
    billingMode: body?.billingMode ?? null,
    markupBasisPoints: body?.markupBasisPoints ?? null,
    termsVersion: terms?.version ?? null,
    requests: lines.reduce((sum, each) => sum + each.requests, 0),
    simulatedRequests: lines.reduce((sum, each) => sum + each.simulatedRequests, 0),
    simulatedCostMicro: lines.reduce((sum, each) => sum + each.simulatedCostMicro, 0n),
    costProvenance,
    priceProvenance: 'declared',
    ...missing(terms),
  };
}

/** The part of a report that is about one client; cost and margin only where they are shown. */
export function reportClientOf(
  { clientId, lines }: ClientUsage,
  terms: PartnerTerms | null,
  window: Window,
  showsMargin: boolean,
): ReportClient {
  const costs = lines.map(({ costMicro }) => costMicro);
  const price = priceOf(terms, costs, window);
  return {
    clientId,
    clientName: terms?.clientName ?? clientId,
    brand: terms?.brand ?? null,
    requests: lines.reduce((sum, { requests }) => sum + requests, 0),
    feeMicro: price.feeMicro,
    clientPriceMicro: price.clientPriceMicro,
    costMicro: showsMargin ? price.costMicro : null,
    marginMicro: showsMargin ? price.marginMicro : null,
    lines: VERTICALS.codes.flatMap((vertical) =>
      lines
        .filter((line) => line.vertical === vertical)
        .map((line) => lineOf(clientId, line, terms, showsMargin)),
    ),
    ...missing(terms),
  };
}

function lineOf(
  clientId: string,
  { vertical, requests, costMicro }: UsageLine,
  terms: PartnerTerms | null,
  showsMargin: boolean,
): ReportLine {
  const usagePriceMicro = usagePrice(terms, costMicro);
  const marginMicro = usagePriceMicro === null ? null : usagePriceMicro - costMicro;
  return {
    clientId,
    vertical,
    requests,
    usagePriceMicro,
    costMicro: showsMargin ? costMicro : null,
    marginMicro: showsMargin ? marginMicro : null,
  };
}
