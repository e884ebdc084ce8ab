import type { Provenance } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import { VERTICALS, type Vertical } from '../value/vocabulary.js';
import {
  type ClientPeriod,
  feeOf,
  priceOf,
  taxOf,
  type UsageLine,
  usagePrice,
} from './margin.rules.js';
import type { MarginReceipt, ReportClient, ReportLine } from './tables.js';

/** Usage of a client over the periods of a window. */
export interface ClientUsage {
  readonly clientId: string;
  readonly periods: readonly ClientPeriod[];
}

const NO_TERMS = 'No terms were in force for the client in the window.';
const LATE_TERMS = 'A part of the usage came before the terms of the client.';
const TERMS_CALL = 'terms of the client: POST /v1/gw/partner/terms';

function missing(status: MarginReceipt['status']) {
  if (status === 'cannot_price') return { reason: NO_TERMS, needed: [TERMS_CALL] };
  return { reason: status === 'computed' ? null : LATE_TERMS, needed: [] };
}

/** The terms in force at the end. */
function lastTerms({ periods }: ClientUsage): ClientPeriod['terms'] {
  return periods.at(-1)?.terms ?? null;
}

function linesOf({ periods }: ClientUsage): readonly UsageLine[] {
  return periods.flatMap(({ lines }) => lines);
}

/** What a client has cost and what it is billed. */
export function receiptOf(
  usage: ClientUsage,
  window: Window,
  costProvenance: Provenance,
): MarginReceipt {
  const terms = lastTerms(usage);
  const lines = linesOf(usage);
  const price = priceOf(usage.periods);
  return {
    clientId: usage.clientId,
    ...window,
    ...price,
    billingMode: terms?.body.billingMode ?? null,
    markupBasisPoints: terms?.body.markupBasisPoints ?? null,
    termsVersion: terms?.version ?? null,
    requests: lines.reduce((sum, each) => sum + each.requests, 0),
    simulatedRequests: lines.reduce((sum, each) => sum + each.simulatedRequests, 0),
    simulatedCostMicro: lines.reduce((sum, each) => sum + each.simulatedCostMicro, 0n),
    costProvenance,
    priceProvenance: 'declared',
    ...missing(price.status),
  };
}

/** The part of a report that is about one client; cost and margin only where they are shown. */
export function reportClientOf(usage: ClientUsage, showsMargin: boolean): ReportClient {
  const { clientId, periods } = usage;
  const terms = lastTerms(usage)?.body;
  const price = priceOf(periods);
  const feeVat = periods.reduce((sum, period) => {
    return sum + taxOf(feeOf(period.terms?.body ?? null, period.window) ?? 0n, period);
  }, 0n);
  return {
    clientId,
    clientName: terms?.clientName ?? clientId,
    brand: terms?.brand ?? null,
    requests: linesOf(usage).reduce((sum, { requests }) => sum + requests, 0),
    feeMicro: price.feeMicro,
    feeVatMicro: price.feeMicro === null ? null : feeVat,
    clientPriceMicro: price.clientPriceMicro,
    clientPriceNetMicro: price.clientPriceNetMicro,
    clientPriceVatMicro: price.clientPriceVatMicro,
    costMicro: showsMargin ? price.costMicro : null,
    marginMicro: showsMargin ? price.marginMicro : null,
    lines: VERTICALS.codes.flatMap((vertical) => lineOf(usage, vertical, showsMargin)),
    ...missing(price.status),
  };
}

/** The usage of a vertical over all periods, each priced by its own terms and rate. */
function lineOf(usage: ClientUsage, vertical: Vertical, showsMargin: boolean): ReportLine[] {
  const parts = usage.periods.flatMap((period) =>
    period.lines
      .filter((line) => line.vertical === vertical)
      .map((line) => {
        const price = usagePrice(period.terms?.body ?? null, line.costMicro);
        return { ...line, price, vat: price === null ? null : taxOf(price, period) };
      }),
  );
  if (parts.length === 0) return [];
  const billed = parts.filter(({ price }) => price !== null);
  const sum = (of: typeof parts, name: 'price' | 'vat' | 'costMicro') =>
    of.reduce((all, part) => all + (part[name] ?? 0n), 0n);
  const isBilled = billed.length > 0;
  return [
    {
      clientId: usage.clientId,
      vertical,
      requests: parts.reduce((all, { requests }) => all + requests, 0),
      usagePriceMicro: isBilled ? sum(billed, 'price') : null,
      usagePriceVatMicro: isBilled ? sum(billed, 'vat') : null,
      costMicro: showsMargin ? sum(parts, 'costMicro') : null,
      marginMicro: showsMargin && isBilled ? sum(billed, 'price') - sum(billed, 'costMicro') : null,
    },
  ];
}
