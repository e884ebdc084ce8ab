import { formatRub } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import { isoTime } from '../../kernel/time.js';
import type { Window } from '../../kernel/window.rules.js';
import { VERTICALS, type Vertical } from '../value/vocabulary.js';
import { priceOf, usagePrice } from './margin.rules.js';
import type {
  MarginReceipt,
  PartnerReport,
  PartnerTerms,
  ReportClient,
  ReportLine,
} from './tables.js';

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

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

const STYLE =
  'body{font:14px/1.5 sans-serif;margin:2em auto;max-width:60em}table{border-collapse:collapse;' +
  'width:100%}th,td{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:right}' +
  'th:first-child,td:first-child{text-align:left}section{break-after:page}';

/** The report as one printable page; everything that was recorded is escaped. */
export function reportPage({ from, to, showsMargin, clients }: PartnerReport): string {
  const period = `${isoTime(from)} – ${isoTime(to)}`;
  const sections = clients.map((client) => sectionOf(client, showsMargin, period));
  const empty = `<p>No usage of clients was recorded: ${period}</p>`;
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Client report</title>' +
    `<style>${STYLE}</style></head><body>${sections.join('') || empty}</body></html>\n`
  );
}

function sectionOf(client: ReportClient, showsMargin: boolean, period: string): string {
  const heads = ['Vertical', 'Requests', 'Price, RUB', ...(showsMargin ? MARGIN_HEADS : [])];
  const rows = client.lines.map((line) => [
    line.vertical,
    String(line.requests),
    amount(line.usagePriceMicro),
    ...(showsMargin ? [amount(line.costMicro), amount(line.marginMicro)] : []),
  ]);
  const fee = client.feeMicro === null ? [] : [['Fee', '', amount(client.feeMicro)]];
  const sum = [
    'Total, VAT included',
    String(client.requests),
    amount(client.clientPriceMicro),
    ...(showsMargin ? [amount(client.costMicro), amount(client.marginMicro)] : []),
  ];
  const note = client.reason === null ? '' : `<p>${escaped(client.reason)}</p>`;
  return (
    `<section><h1>${escaped(client.brand ?? 'Client report')}</h1>` +
    `<h2>${escaped(client.clientName)}</h2><p>${period}</p>${note}<table>` +
    `<thead>${cells(heads, 'th')}</thead><tbody>${[...rows, ...fee, sum]
      .map((row) => cells(row, 'td'))
      .join('')}</tbody></table></section>`
  );
}

const MARGIN_HEADS = ['Cost, RUB', 'Margin, RUB'];

function amount(micro: bigint | null): string {
  return micro === null ? '—' : formatRub(micro);
}

function cells(values: readonly string[], tag: string): string {
  return `<tr>${values.map((each) => `<${tag}>${escaped(each)}</${tag}>`).join('')}</tr>`;
}
