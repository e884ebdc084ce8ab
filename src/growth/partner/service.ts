import { builtIns } from '../../delivery/blueprints/catalogue.js';
import { statedWindow } from '../../finops/reports/question.rules.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault, length } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { languageHeaders, preferredLanguage } from '../../kernel/language/languages.js';
import type { Sourced } from '../../kernel/provenance.js';
import type { Window } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import type { Version } from '../../records/contract-kinds.js';
import { measuredFrom } from '../../records/measured.js';
import { sumUsage, type UsageSum } from '../usage-sums.js';
import { verticalsOfUseCases } from '../value/roi.js';
import { USE_CASE_DEFAULT, type Vertical } from '../value/vocabulary.js';
import { type ClientForm, PAGE_POLICY, reportPage } from './client-report.rules.js';
import { termsFaults, tierOf } from './margin.rules.js';
import { PARTNER_TERMS } from './records.js';
import { type ClientUsage, receiptOf, reportClientOf, type UsageLine } from './report.rules.js';
import {
  CLIENT_QUESTION,
  MARGIN_QUESTION,
  type PARTNER_MARGIN,
  type PartnerReport,
  type PartnerTerms,
  REPORT_QUESTION,
  TERMS_INPUT,
} from './tables.js';
import {
  CLIENT_LENGTH_MAX,
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
    const result = await PARTNER_TERMS.publish(ctx, terms, { tx });
    return { result, id: result.id, after: sealedContent(TERMS_INPUT.fields, result.body) };
  });
}

/**
 * What each client of a partner has cost in a window and what it is billed, by the terms that were
 * in force at its end.
 * @throws invalid_request for a wrong window, or one with too many clients
 */
export async function partnerMargin(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof PARTNER_MARGIN.fields>> {
  const { clientId, ...window } = asked(inputValues(MARGIN_QUESTION, given));
  const { value, provenance } = await clientsIn(ctx, window, clientId);
  const clients = namedOnly(value);
  const terms = await termsOf(ctx, clients, window);
  const receipts = clients.map((each) =>
    receiptOf(each, terms.get(each.clientId) ?? null, window, provenance),
  );
  const priced = receipts.filter(({ status }) => status === 'computed');
  const costMicro = sumOf(receipts.map((each) => each.costMicro));
  const unassigned = value.filter((each) => each.clientId === null);
  return {
    ...window,
    tier: tierOf(clients.length, costMicro, window),
    clients: clients.length,
    costMicro,
    pricedCostMicro: sumOf(priced.map((each) => each.costMicro)),
    clientPriceMicro: sumOf(priced.map((each) => each.clientPriceMicro)),
    marginMicro: sumOf(priced.map((each) => each.marginMicro)),
    unassignedCostMicro: sumOf(unassigned.flatMap(({ lines }) => lines.map((n) => n.costMicro))),
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
  const { value, provenance } = await clientsIn(ctx, window, clientId);
  const clients = namedOnly(value);
  const terms = await termsOf(ctx, clients, window);
  return {
    ...window,
    showsMargin: showMargin,
    provenance,
    clients: clients.map((each) =>
      reportClientOf(each, terms.get(each.clientId)?.body ?? null, window, showMargin),
    ),
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

type AnyClient = Omit<ClientUsage, 'clientId'> & { readonly clientId: string | null };

function namedOnly(clients: readonly AnyClient[]): ClientUsage[] {
  const named = clients.flatMap(({ clientId, lines }) =>
    clientId === null ? [] : [{ clientId, lines }],
  );
  const many = `covers ${named.length} clients; take a shorter window or name one`;
  failOnFaults(named.length > ROWS_MAX ? [fault('from', 'out_of_range', many)] : []);
  return named;
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

function termsOf(ctx: AuthorizedCtx, clients: readonly ClientUsage[], { to: until }: Window) {
  const keys = clients.map(({ clientId }) => clientId);
  return PARTNER_TERMS.latestOf(ctx, keys, { until });
}
