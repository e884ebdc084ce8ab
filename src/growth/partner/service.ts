import { builtIns } from '../../delivery/blueprints/catalogue.js';
import { statedWindow } from '../../finops/reports/question.rules.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits, length } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { languageHeaders, preferredLanguage } from '../../kernel/language/languages.js';
import type { Sourced } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import type { Version } from '../../records/contract-kinds.js';
import { measuredFrom } from '../../records/measured.js';
import { sumUsage, type UsageSum } from '../usage-sums.js';
import { verticalsOfUseCases } from '../value/roi.js';
import { USE_CASE_DEFAULT, type Vertical } from '../value/vocabulary.js';
import { type ClientForm, PAGE_POLICY, reportPage } from './client-report.rules.js';
import { termsFaults, tierOf, type UsageLine } from './margin.rules.js';
import { periodsOf, termsAt } from './periods.rules.js';
import { PARTNER_TERMS } from './records.js';
import { type ClientUsage, receiptOf, reportClientOf } from './report.rules.js';
import {
  CLIENT_QUESTION,
  MARGIN_QUESTION,
  type MarginReceipt,
  type PARTNER_MARGIN,
  type PartnerReport,
  type PartnerTerms,
  REPORT_QUESTION,
  TERMS_INPUT,
} from './tables.js';
import {
  CLIENT_LENGTH_MAX,
  PERIODS_MAX,
  REPORT_LANGUAGES,
  ROWS_MAX,
  VERTICAL_OF_CATEGORY,
} from './vocabulary.js';

/**
 * Publishes the next version of the terms of a client.
 * @throws invalid_request with every fault, such as a mark-up that the billing mode needs
 */
export async function publishTerms(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<Version<PartnerTerms>> {
  const terms = inputValues(TERMS_INPUT.fields, given);
  failOnFaults([...inputFaults(TERMS_INPUT.fields, terms, 'input'), ...termsFaults(terms)]);
  const name = { action: 'partnerTermsPublish', subject: 'PartnerTerms' } as const;
  return change(ctx, name, async (tx) => {
    const now = await databaseNow(tx);
    const effectiveFrom = terms.effectiveFrom ?? now;
    failOnFaults(fits('input.effectiveFrom', effectiveFrom >= now, 'must be now or later'));
    const result = await PARTNER_TERMS.publish(ctx, { ...terms, effectiveFrom }, { tx });
    return { result, id: result.id, after: sealedContent(TERMS_INPUT.fields, result.body) };
  });
}

/**
 * What each client of a partner has cost in a window and what it is billed, each part of it by the
 * terms and the rate of tax that were in force then.
 * @throws invalid_request for a wrong window, or one with too many clients
 */
export async function partnerMargin(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof PARTNER_MARGIN.fields>> {
  const { clientId, ...window } = asked(inputValues(MARGIN_QUESTION, given));
  const { clients, unassignedCostMicro, provenance } = await usageOfClients(ctx, window, clientId);
  const receipts = clients.map((each) => receiptOf(each, window, provenance));
  const priced = receipts.filter(({ status }) => status !== 'cannot_price');
  const costMicro = sumOf(receipts.map((each) => each.costMicro));
  const sum = (of: (receipt: MarginReceipt) => bigint | null) => sumOf(priced.map(of));
  return {
    ...window,
    tier: tierOf(clients.length, costMicro, window),
    clients: clients.length,
    costMicro,
    costNetMicro: sumOf(receipts.map((each) => each.costNetMicro)),
    costVatMicro: sumOf(receipts.map((each) => each.costVatMicro)),
    pricedCostMicro: sum((each) => each.costMicro - each.unpricedCostMicro),
    clientPriceMicro: sum((each) => each.clientPriceMicro),
    clientPriceNetMicro: sum((each) => each.clientPriceNetMicro),
    clientPriceVatMicro: sum((each) => each.clientPriceVatMicro),
    marginMicro: sum((each) => each.marginMicro),
    marginNetMicro: sum((each) => each.marginNetMicro),
    marginVatMicro: sum((each) => each.marginVatMicro),
    unassignedCostMicro,
    receipts,
  };
}

/**
 * The report of a client, or of all of them: usage by vertical under the name of the partner.
 * @throws invalid_request for a wrong window, or one with too many clients
 */
export async function partnerReport(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<PartnerReport> {
  const { showMargin, ...question } = inputValues(REPORT_QUESTION, given);
  const { clientId, ...window } = asked(question);
  const { clients, provenance } = await usageOfClients(ctx, window, clientId);
  return {
    ...window,
    showsMargin: showMargin,
    provenance,
    clients: clients.map((each) => reportClientOf(each, showMargin)),
  };
}

/**
 * The rows of the report that go to clients, or the page of them, in one language.
 * @throws invalid_request for a wrong window, or one with too many clients
 */
export async function clientReport<T>(
  ctx: AuthorizedCtx,
  { language: stated, ...question }: GivenValues,
  write: (report: PartnerReport, form: ClientForm) => T,
): Promise<T> {
  const report = await partnerReport(ctx, { ...question, showMargin: false });
  const { timeZone } = inputValues(CLIENT_QUESTION, question);
  const { acceptLanguage, headers } = ctx.transport;
  const language =
    REPORT_LANGUAGES.find(String(stated))?.code ?? preferredLanguage(acceptLanguage, 'ru');
  Object.assign(headers, languageHeaders(language));
  return write(report, { language, timeZone });
}

/** The report for a client as one page to print. @throws as `clientReport` */
export function clientPage(ctx: AuthorizedCtx, question: GivenValues): Promise<string> {
  ctx.transport.headers['content-security-policy'] = PAGE_POLICY;
  return clientReport(ctx, question, reportPage);
}

function sumOf(values: readonly (bigint | null)[]): bigint {
  return values.reduce<bigint>((sum, each) => sum + (each ?? 0n), 0n);
}

function asked(
  stated: ValuesOf<typeof MARGIN_QUESTION>,
): Window & { readonly clientId: string | null } {
  const { from, to, faults } = statedWindow(stated, sharedNow());
  const { clientId } = stated;
  failOnFaults([...faults, ...length('clientId', clientId, { min: 1, max: CLIENT_LENGTH_MAX })]);
  return { from, to, clientId };
}

interface AnyClient {
  /** Null is for requests that name no client. */
  readonly clientId: string | null;
  readonly lines: readonly UsageLine[];
}

type NamedClient = AnyClient & { readonly clientId: string };

function namedOnly(clients: readonly AnyClient[]): NamedClient[] {
  const named = clients.filter((each): each is NamedClient => each.clientId !== null);
  const many = `covers ${named.length} clients; take a shorter window or name one`;
  failOnFaults(named.length > ROWS_MAX ? [fault('from', 'out_of_range', many)] : []);
  return named;
}

/**
 * Usage of clients, told apart by the periods of their terms and of the rates of tax, the most
 * expensive client first. A window without a change is read once.
 */
async function usageOfClients(ctx: AuthorizedCtx, window: Window, only: string | null) {
  const { value, provenance } = await clientsIn(ctx, window, only);
  const named = namedOnly(value);
  const versions = await PARTNER_TERMS.allOf(
    ctx,
    named.map(({ clientId }) => clientId),
  );
  const periods = periodsOf(window, [...versions.values()].flat());
  const many = `covers ${periods.length} changes of terms; take a shorter window or name a client`;
  failOnFaults(periods.length > PERIODS_MAX ? [fault('from', 'out_of_range', many)] : []);
  const parts: { readonly period: Window; readonly clients: readonly AnyClient[] }[] = [];
  for (const period of periods) {
    const isAll = periods.length === 1;
    const clients = isAll ? value : (await clientsIn(ctx, period, only)).value;
    parts.push({ period, clients });
  }
  const clients = named.map(
    ({ clientId }): ClientUsage => ({
      clientId,
      periods: parts.map(({ period, clients: of }) => ({
        window: period,
        terms: termsAt(versions.get(clientId) ?? [], period.from),
        lines: of.find((each) => each.clientId === clientId)?.lines ?? [],
      })),
    }),
  );
  const unassigned = value.filter(({ clientId }) => clientId === null);
  const unassignedCostMicro = sumOf(
    unassigned.flatMap(({ lines }) => lines.map(({ costMicro }) => costMicro)),
  );
  return { clients, unassignedCostMicro, provenance };
}

/** Usage of clients by vertical, the most expensive client first; null is for those of none. */
async function clientsIn(
  ctx: AuthorizedCtx,
  window: Window,
  clientId: string | null,
): Promise<Sourced<AnyClient[]>> {
  const only = clientId === null ? {} : { client: clientId };
  const read = async (tx: Transaction) => {
    const verticals = await verticalsOfUseCases(ctx, tx, window);
    const wish = { only, isEverything: true };
    const rows = await sumUsage(ctx, window, ['client', 'feature'], wish);
    return rows.map((row) => ({ ...row, vertical: verticalOf(row.of.feature, verticals) }));
  };
  return measuredFrom(ctx, read, clientsOf);
}

/** What is charged by the ledger is the cost of a client, whichever model answered. */
function clientsOf(
  rows: readonly (UsageSum<'client' | 'feature'> & { readonly vertical: Vertical })[],
): AnyClient[] {
  const clients = new Map<string | null, Map<Vertical, UsageLine>>();
  for (const { of, vertical, ...row } of rows) {
    const lines = clients.get(of.client) ?? new Map<Vertical, UsageLine>();
    const before = lines.get(vertical);
    lines.set(vertical, {
      vertical,
      requests: (before?.requests ?? 0) + row.requests + row.simulatedRequests,
      costMicro: (before?.costMicro ?? 0n) + row.costMicro + row.simulatedCostMicro,
      costVatMicro: (before?.costVatMicro ?? 0n) + row.vatMicro + row.simulatedVatMicro,
      simulatedRequests: (before?.simulatedRequests ?? 0) + row.simulatedRequests,
      simulatedCostMicro: (before?.simulatedCostMicro ?? 0n) + row.simulatedCostMicro,
    });
    clients.set(of.client, lines);
  }
  const costOf = ({ lines }: AnyClient) => sumOf(lines.map(({ costMicro }) => costMicro));
  return [...clients]
    .map(([clientId, lines]) => ({ clientId, lines: [...lines.values()] }))
    .sort((one, other) => (costOf(one) < costOf(other) ? 1 : -1));
}

/** The vertical of most results of the feature, else that of the blueprint that it is of. */
function verticalOf(feature: string | null, known: ReadonlyMap<string, Vertical>): Vertical {
  const ofResults = known.get(feature ?? USE_CASE_DEFAULT);
  if (ofResults) return ofResults;
  const blueprint = builtIns().find((each) => each.feature === feature);
  return (blueprint && VERTICAL_OF_CATEGORY[blueprint.category]) ?? 'other';
}
