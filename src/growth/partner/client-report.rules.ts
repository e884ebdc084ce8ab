import { Html, html, printedPolicy } from '../../kernel/html.js';
import { localText } from '../../kernel/moment.rules.js';
import { formatRub } from '../../kernel/money.js';
import { CLIENT_WORDS, type ReportLanguage } from './client-words.js';
import type { ClientRow, PartnerReport, ReportClient } from './tables.js';

/** How a report is written for a client. */
export interface ClientForm {
  readonly language: ReportLanguage;
  readonly timeZone: string;
}

/** The rows of a report that go to clients: usage by line of work, the fee and the total. */
export function clientRows(report: PartnerReport, form: ClientForm): ClientRow[] {
  return report.clients.flatMap((client) => rowsOf(client, report, form));
}

function rowsOf(client: ReportClient, report: PartnerReport, form: ClientForm): ClientRow[] {
  const words = CLIENT_WORDS[form.language];
  const { clientId, clientName, brand, feeMicro } = client;
  const billed = (priceMicro: bigint | null, vatMicro: bigint | null) => ({
    priceMicro,
    netMicro: priceMicro === null ? null : priceMicro - (vatMicro ?? 0n),
    vatMicro,
  });
  const head = {
    clientId,
    clientName,
    brand,
    from: minuteOf(report.from, form),
    to: minuteOf(report.to, form),
    timeZone: form.timeZone,
  };
  const usage = client.lines.map(({ vertical, requests, usagePriceMicro, usagePriceVatMicro }) => ({
    ...head,
    item: 'usage' as const,
    vertical,
    title: words.verticals[vertical],
    requests,
    ...billed(usagePriceMicro, usagePriceVatMicro),
  }));
  const fee = { ...head, item: 'fee' as const, vertical: null, title: words.fee, requests: null };
  const total = {
    ...head,
    item: 'total' as const,
    vertical: null,
    title: words.total,
    requests: client.requests,
    ...billed(client.clientPriceMicro, client.clientPriceVatMicro),
  };
  return [
    ...usage,
    ...(feeMicro === null ? [] : [{ ...fee, ...billed(feeMicro, client.feeVatMicro) }]),
    total,
  ];
}

/** A time on the clocks of the zone, to the minute. */
function minuteOf(at: Date, { timeZone }: ClientForm): string {
  return localText(timeZone, at.getTime()).slice(0, 16).replace('T', ' ');
}

const STYLE =
  'body{font:14px/1.5 sans-serif;margin:2em auto;max-width:60em}table{border-collapse:collapse;' +
  'width:100%}th,td{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:right}' +
  'th:first-child,td:first-child{text-align:left}section{break-after:page}';

/** Names of clients and brands are people's words: the page loads and runs nothing. */
export const PAGE_POLICY = printedPolicy(STYLE);

/** The report as one printable page for clients; everything that was recorded is escaped. */
export function reportPage(report: PartnerReport, form: ClientForm): string {
  const { language, timeZone } = form;
  const words = CLIENT_WORDS[language];
  const period = `${minuteOf(report.from, form)} – ${minuteOf(report.to, form)} (${timeZone})`;
  const sections = report.clients.map((client) => {
    const rows = rowsOf(client, report, form).map(
      ({ title, requests, netMicro, vatMicro, priceMicro }) =>
        html`<tr><td>${title}</td><td>${requests ?? ''}</td><td>${amount(netMicro)}</td>
<td>${amount(vatMicro)}</td><td>${amount(priceMicro)}</td></tr>`,
    );
    const isUnpriced = client.clientPriceMicro === null;
    const note = isUnpriced ? html`<p>${words.noTerms}</p>` : '';
    return html`<section><h1>${client.brand ?? words.title}</h1><h2>${client.clientName}</h2>
<p>${period}</p>${note}
<table><thead><tr>${words.heads.map((head) => html`<th>${head}</th>`)}</tr></thead>
<tbody>${rows}</tbody></table></section>`;
  });
  const empty = html`<p>${words.noUsage} ${period}</p>`;
  const body = sections.length > 0 ? sections : empty;
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><title>${words.title}</title>
<style>${new Html(STYLE)}</style></head><body>${body}</body></html>
`.text;
}

function amount(micro: bigint | null): string {
  return micro === null ? '—' : formatRub(micro);
}
