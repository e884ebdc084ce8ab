import { type ConstDirectiveNode, Kind, parse } from 'graphql';
import { FILES, readText } from './files.js';

/** Rows beyond the specification, each with the reason for it. */
const EXTENSIONS = new Map([
  ['GET /v1/gw/cost/focus', 'FinOps tools read charges in the columns of FOCUS 1.2'],
  ['GET /v1/gw/cost/focus/reference', 'the schema of that export, as FOCUS asks for one'],
  ['PATCH /api-keys/{id}', 'what a key may do changes while it is used'],
  ['POST /api-keys/{id}/rotate', 'a key gets a new value while the one before works on'],
  ['DELETE /api-keys/{id}/former-secrets', 'what was replaced is ended before its grace is over'],
  ['GET /api-keys/reference', 'the bounds of what keys can be limited by'],
  ['POST /auth/refresh', 'refresh tokens are rotated by those who log in with them'],
  ['GET /v1/models/{id}', 'client libraries retrieve one model by its id'],
  ['POST /v1/gw/commercial/wtp/evidence', 'a top-up is stated for the deal that it pays'],
  ['GET /v1/gw/commercial/wtp/evidence', 'the statements of which deal a top-up is for'],
  ['GET /v1/gw/approvals/events/head', 'a reader of the feed begins before its first event'],
  ['POST /v1/gw/billing/month-closes', 'a month is closed as data, for the documents of it'],
  ['GET /v1/gw/billing/month-closes', 'the closed months'],
  ['GET /v1/gw/billing/month-closes/{id}', 'one closed month'],
  ['GET /v1/gw/billing/month-closes/{id}/verify', 'a closed month is a sealed receipt'],
  ['GET /v1/gw/billing/month-closes/{id}/page', 'a closed month is printed'],
  ['GET /v1/gw/billing/advances', 'each top-up is an advance with its rate, and is used in order'],
  ['GET /v1/gw/billing/operations/reference', 'what administrators can do to a balance'],
  ['POST /v1/gw/billing/operations/refunds', 'an administrator gives a charge back'],
  ['POST /v1/gw/billing/operations/credits', 'an administrator gives a bonus'],
  ['POST /v1/gw/billing/operations/adjustments', 'an administrator corrects a balance'],
  ['POST /v1/gw/billing/operations/returns', 'an administrator returns unused funds'],
  ['POST /v1/gw/billing/operations/sla-credits', 'a missed service level is credited'],
  ['GET /v1/gw/billing/sla', 'the service level of a month by which credits are computed'],
  ['GET /v1/gw/billing/operations', 'what administrators did to the balance, with documents'],
  ['GET /v1/gw/billing/operations/{id}', 'one of these operations'],
  ['GET /v1/gw/billing/operations/{id}/verify', 'an operation is a sealed receipt'],
  ['GET /v1/gw/finops/forecast', 'the forecasts that were recorded'],
  ['GET /v1/gw/finops/forecast/{id}', 'one forecast, to compare it with what was spent'],
  ['GET /v1/gw/finops/forecast/{id}/verify', 'a forecast is a sealed receipt'],
  ['GET /v1/gw/finops/pauses', 'what anomalies have paused, with the approval that resumes it'],
  ['POST /v1/gw/model-aliases', 'clients keep the model names of their code'],
  ['GET /v1/gw/model-aliases', 'the versions of the names that clients keep'],
  ['GET /v1/gw/approvals', 'the one queue of everything that waits for a person'],
  ['GET /v1/gw/approvals/events', 'scripts read the feed of the queue by cursor'],
  ['GET /v1/gw/approvals/{id}', 'one approval, whatever waits for it'],
  ['POST /v1/gw/approvals/{id}/approve', 'what is no tool call is approved here'],
  ['POST /v1/gw/approvals/{id}/reject', 'what is no tool call is rejected here'],
  ['GET /v1/gw/policies/{id}/budget-exceptions', 'exceptions that were asked for'],
  ['POST /v1/gw/policies/{id}/budget-exceptions', 'asks for more than a budget allows'],
  ['GET /v1/gw/cost/focus', 'charges in the form that FinOps tools read (FOCUS 1.2)'],
  ['POST /v1/gw/prompts/{id}/case-sets', 'the gate judges runs over stored cases'],
  ['GET /v1/gw/prompts/{id}/case-sets', 'the case sets of a prompt'],
  ['GET /v1/gw/prompts/{id}/case-sets/{version}', 'one case set'],
  ['POST /v1/gw/prompts/{id}/evaluations', 'the gate judges recorded runs of a version'],
  ['GET /v1/gw/prompts/{id}/evaluations', 'the runs of a prompt'],
  ['GET /v1/gw/prompt-evaluations/{id}', 'one run and its progress'],
  ['GET /v1/gw/prompt-evaluations/{id}/results', 'how each case of a run ended'],
  ['POST /v1/gw/prompt-evaluations/{id}/cancel', 'a run ends before its last case'],
  ['GET /v1/gw/prompts/{id}/usage', 'cost and outcome of each version of a prompt'],
  ['POST /v1/gw/tools/calls/{id}/rollback', 'undoes a call by its compensating verb'],
  ['POST /v1/gw/integrations/actions/{id}/rollback', 'undoes a simulated action'],
  ['GET /v1/gw/unit-economics/velocity', 'the same rule on what the ledger shows'],
  ['GET /v1/gw/unit-economics/margin-leakage', 'the same rule on recorded cost'],
  ['GET /v1/gw/unit-economics/cost-events', 'the costs that were recorded'],
  ['POST /v1/gw/certification/{id}/revoke', 'a badge that turns out wrong is taken back'],
  ['POST /v1/gw/marketplace/listings/{id}/withdraw', 'a listing is taken back'],
  ['GET /v1/gw/marketplace/reference', 'how publishers prove who they are'],
  ['POST /v1/gw/marketplace/publisher-identities', 'a publisher is verified by a proof'],
  ['GET /v1/gw/marketplace/publisher-identities', 'claims of the organization, with records'],
  ['POST /v1/gw/marketplace/publisher-identities/{id}/verify', 'the record is looked for now'],
  ['POST /v1/gw/marketplace/publisher-identities/{id}/withdraw', 'a claim is taken back'],
  ['POST /v1/gw/marketplace/listings/{id}/reports', 'readers report a listing'],
  ['GET /v1/gw/marketplace/reports', 'what became of the own reports'],
  ['GET /v1/gw/marketplace/operator/publisher-identities', 'operators see a queue of claims'],
  ['POST /v1/gw/marketplace/operator/publisher-identities/{id}/decision', 'operators verify'],
  ['POST /v1/gw/marketplace/operator/publisher-identities/{id}/revoke', 'and take it back'],
  ['GET /v1/gw/marketplace/operator/listings', 'operators see listings of all organizations'],
  ['POST /v1/gw/marketplace/operator/listings/{id}/measures', 'operators suspend and revoke'],
  ['GET /v1/gw/marketplace/operator/reports', 'operators see what readers report'],
  ['POST /v1/gw/marketplace/operator/reports/{id}/resolution', 'operators decide about it'],
  ['POST /v1/gw/partner/terms', 'a margin needs the mark-up that a partner has recorded'],
  ['GET /v1/gw/partner/terms', 'the versions of the terms of clients'],
  ['POST /v1/gw/migration/cockpit', 'live checks with the key of the caller'],
  ['GET /v1/gw/migration/cockpit/runs', 'the runs of the live checks'],
  ['DELETE /v1/gw/abuse/ephemeral-tokens/{id}', 'what is issued can be revoked before it ends'],
  ['POST /v1/gw/abuse/actions/{id}/undo', 'what an incident did to a key can be undone'],
  ['PATCH /v1/gw/workspaces/{id}', 'the policy of a workspace changes while it is used'],
  ['GET /v1/gw/workspaces/boundary-effect', 'who would be refused is asked before a boundary'],
  ['GET /v1/gw/audit/export', 'a SIEM reads the audit trail, and auditors verify it'],
  ['GET /v1/gw/transparency/reference', 'how anyone verifies the books, and what they hold'],
  ['GET /v1/gw/transparency/checkpoint', 'what the house signs of the books by now'],
  ['GET /v1/gw/transparency/checkpoints', 'what the house has signed of the books'],
  ['GET /v1/gw/transparency/checkpoints/{id}', 'one signed checkpoint'],
  ['GET /v1/gw/transparency/checkpoints/{id}/consistency', 'nothing was changed between two'],
  ['GET /v1/gw/transparency/leaves/{index}/proof', 'a leaf stands in the log'],
  ['GET /v1/gw/billing-integrity/seals/{id}', 'how far the reading of a long period is'],
  ['GET /v1/gw/billing-integrity/receipts/{id}/faults', 'every request that a seal has named'],
  ['GET /v1/gw/billing-integrity/receipts/{id}/export', 'anyone repeats root and verdict'],
  ['GET /v1/gw/transparency/entries/{sequence}/proof', 'a line of the ledger stands in it'],
  ['GET /v1/gw/transparency/receipts/{id}/proof', 'a sealed receipt stands in it'],
  ['GET /v1/gw/transparency/witnesses', 'auditors verify cosignatures by these keys'],
  ['POST /v1/gw/transparency/publications', 'a log is made public for witnesses'],
  ['GET /v1/gw/transparency/publications', 'address and key that a witness is set up with'],
  ['DELETE /v1/gw/transparency/publications/{id}', 'a log is public no more'],
  ['GET /v1/gw/transparency/checkpoints/{id}/note', 'auditors keep cosigned checkpoints'],
  ['GET /v1/gw/transparency/logs/{name}/checkpoint', 'witnesses read it without a credential'],
  ['GET /v1/gw/transparency/logs/{name}/growth', 'witnesses verify it before they cosign'],
  ['POST /v1/gw/transparency/logs/{name}/cosignatures', 'witnesses bring what they signed'],
  ['GET /api-keys/{id}/descendants', 'what would end with a key that is revoked'],
  ['GET /api-keys/tree', 'where a working key came from'],
  ['GET /v1/gw/transparency/export', 'auditors verify the books without the gateway'],
  ['POST /v1/gw/migration/cockpit/runs/{id}/share', 'a link to the sealed report of a run'],
  ['DELETE /v1/gw/migration/cockpit/runs/{id}/share', 'takes the link back'],
  ['GET /v1/gw/migration/cockpit/reports', 'the sealed reports of runs'],
  ['GET /v1/gw/migration/cockpit/reports/{id}', 'one sealed report'],
  ['GET /v1/gw/migration/cockpit/reports/{id}/verify', 'recomputes the hash of a report'],
  ['GET /v1/gw/webhooks/reference', 'the types of events that webhooks tell, with their payloads'],
  ['POST /v1/gw/webhooks', 'an endpoint that is told of events'],
  ['GET /v1/gw/webhooks', 'the endpoints that are told of events'],
  ['GET /v1/gw/webhooks/{id}', 'one endpoint, with whether it works'],
  ['PATCH /v1/gw/webhooks/{id}', 'changes where events go, and which'],
  ['DELETE /v1/gw/webhooks/{id}', 'removes an endpoint'],
  ['POST /v1/gw/webhooks/{id}/rotate-secret', 'a new secret, with an overlap of both'],
  ['POST /v1/gw/webhooks/{id}/pause', 'stops to deliver while a receiver is serviced'],
  ['POST /v1/gw/webhooks/{id}/resume', 'delivers again after a pause or too many failures'],
  ['POST /v1/gw/webhooks/{id}/test', 'a message that tests a receiver'],
  ['GET /v1/gw/webhooks/{id}/deliveries', 'what was and is to be delivered'],
  ['POST /v1/gw/webhooks/{id}/replay', 'delivers again what a receiver has lost'],
  ['GET /v1/gw/webhooks/deliveries/{id}', 'one delivery with its payload and attempts'],
  ['POST /v1/gw/webhooks/deliveries/{id}/replay', 'delivers one event again'],
]);

/** One endpoint of the specification. `auth` is `?` where it does not say. */
export interface DocumentedEndpoint {
  readonly group: string;
  /** Method and path. */
  readonly key: string;
  readonly auth: string;
}

interface RestRow {
  readonly key: string;
  readonly auth: string;
  readonly location: string;
}

/** The endpoints of the specification. */
export function documentedEndpoints(): DocumentedEndpoint[] {
  const [, ...lines] = readText('rest-compat/documented.tsv').trimEnd().split('\n');
  return lines.map((line) => {
    const [group = '', method, path, auth = ''] = line.split('\t');
    return { group, key: `${method} ${path}`, auth };
  });
}

/** Documented endpoints of served groups that no row answers. */
export function missingRows(): string[] {
  const served = new Set(restRows().map(({ key }) => key));
  return documentedEndpoints()
    .filter(({ key }) => !served.has(key))
    .map(({ group, key }) => `${group}: ${key}`);
}

/** Rows that are neither documented nor known extensions. */
export function undocumentedRows(): string[] {
  const documented = new Set(documentedEndpoints().map(({ key }) => key));
  return restRows()
    .filter(({ key }) => !documented.has(key) && !EXTENSIONS.has(key))
    .map(({ location, key }) => `${location} ${key}`);
}

/** Rows whose access differs from the documented one. */
export function rowsOfOtherAccess(): string[] {
  const documented = new Map(documentedEndpoints().map(({ key, auth }) => [key, auth]));
  return restRows().flatMap(({ key, auth, location }) => {
    const wanted = documented.get(key) ?? '?';
    return wanted === '?' || wanted === auth
      ? []
      : [`${location} ${key} is ${auth}, not ${wanted}`];
  });
}

/** Extensions that no row serves. */
export function staleExtensions(): string[] {
  const served = new Set(restRows().map(({ key }) => key));
  return [...EXTENSIONS.keys()].filter((key) => !served.has(key));
}

function restRows(): RestRow[] {
  return FILES.filter(({ path }) => /^rest-compat\/routes\/.*\.graphql$/.test(path)).flatMap(
    ({ path, text }) =>
      parse(text).definitions.flatMap((definition): RestRow[] => {
        if (definition.kind !== Kind.OPERATION_DEFINITION) return [];
        const rest = definition.directives?.find(({ name }) => name.value === 'rest');
        if (!rest) return [];
        const directive = rest as ConstDirectiveNode;
        // `{+id}` takes slashes too; the specification writes it as any other place.
        const route = argument(directive, 'path')?.replace('{+', '{');
        return [
          {
            key: `${argument(directive, 'method')} ${route}`,
            auth: argument(directive, 'auth') ?? 'B',
            location: `${path}:${definition.loc?.startToken.line ?? 1}`,
          },
        ];
      }),
  );
}

function argument(directive: ConstDirectiveNode, name: string): string | undefined {
  const value = directive.arguments?.find((row) => row.name.value === name)?.value;
  return value && 'value' in value ? String(value.value) : undefined;
}
