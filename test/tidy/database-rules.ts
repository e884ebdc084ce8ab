import { at, codeBelow, FILES, type SourceFile } from './files.js';

const MIGRATIONS = FILES.filter(({ path }) => /^prisma\/migrations\/.*\.sql$/.test(path));

/** Tables with the tenant in a column, and the one of tenants. */
export function tenantTables(migrations: readonly Pick<SourceFile, 'text'>[]): string[] {
  return migrations.flatMap(({ text }) => {
    const created = [...text.matchAll(/^CREATE TABLE "?(\w+)"? \(\n([\s\S]*?)\n\);/gm)]
      .filter(
        ([, name, columns]) => name === 'tenant' || /^\s*"?tenant_id"?\s/m.test(columns ?? ''),
      )
      .map(([, name]) => name ?? '');
    const altered = text.matchAll(/^ALTER TABLE "?(\w+)"?\s+ADD COLUMN "?tenant_id"?\s/gm);
    return [...created, ...[...altered].map(([, name]) => name ?? '')];
  });
}

/** Tables of tenants that no migration closes by row security. */
export function openTenantTables(migrations: readonly Pick<SourceFile, 'text'>[] = MIGRATIONS) {
  const closed = new Set(
    migrations.flatMap(({ text }) =>
      [...text.matchAll(/^CALL keep_to_tenant\('(\w+)'/gm)].map(([, name]) => name),
    ),
  );
  return tenantTables(migrations)
    .filter((name) => !closed.has(name))
    .map((name) => `${name} needs CALL keep_to_tenant('${name}', '<rights>') in its migration`);
}

/** Where transactions begin: everything else joins one of these. */
const BEGINS_TRANSACTIONS = [
  'src/platform/database/',
  'src/records/scope.ts',
  'src/records/keyed-transaction.ts',
];

/** Transactions that are opened beside the one way, and exceptions that are no longer needed. */
export function rawTransactions(): string[] {
  return allowedUses(/\.\$transaction\(/, 'opens a transaction of its own', [
    BEGINS_TRANSACTIONS,
    [],
  ]);
}

/** What is the platform's own: it finds out the tenant, or works for all of them. */
const PLATFORM_WORK = [
  // Credentials, policies and prompts of the chat path, the books, and the keys of callers.
  'src/app/services.ts',
  'src/app/workers/primary.ts',
  'src/app/left-work.ts',
  'src/money/books/monitor.ts',
  'src/money/integrity/due-seals.ts',
  'src/money/integrity/seals.ts',
  'src/money/integrity/witness.ts',
  'src/money/books/service.ts',
  'src/app/cli.ts',
  // The number of its connections.
  'src/app/process-metrics.ts',
  // Registration, logins and invites: nobody knows the tenant before the row is found.
  'src/records/scope.ts',
  'src/access/auth/members.ts',
  'src/access/auth/registration.ts',
  'src/access/auth/sessions.ts',
  // The keys that sign belong to no tenant.
  'src/access/auth/signing-keys.ts',
  // A link for a new password finds out whose it is.
  'src/access/credentials/password-reset.ts',
  'src/access/credentials/reset-mails.ts',
  // Sums of usage are brought forward for all tenants at once.
  'src/finops/reports/rollup.ts',
  // Sweeps.
  'src/finops/focus/kept-groups.ts',
  'src/actions/tools/execution.ts',
  // The node that delivers webhooks does so for all tenants.
  'src/actions/webhook-endpoints/worker/attempts.ts',
  'src/actions/webhook-endpoints/worker/followers.ts',
  'src/actions/webhook-endpoints/worker/worker.ts',
  'src/delivery/blueprints/run-underway.ts',
  'src/delivery/prompt-evaluations/record.ts',
  'src/records/approvals/execution.ts',
  'src/records/approvals/queue.ts',
  'src/records/keyed-outcomes.ts',
  // The proof of the books is brought forward for all of them.
  'src/money/integrity/prove.ts',
  // Logs are brought forward for all of them, and whole books are read for all.
  'src/assurance/transparency/log.ts',
  // Published logs are public, and witnesses are asked about all of them.
  'src/assurance/transparency/published-logs.ts',
  'src/assurance/transparency/witness-rounds.ts',
  // Keys that outlive a revoked one are looked for in all of them.
  'src/access/keys/outliving.ts',
  // Months are made for all of them.
  'src/records/months.ts',
  // The chains of the audit trail are brought forward for all of them.
  'src/records/audit-chain.ts',
  // Usage is watched for all tenants; what it shows is told to each in a scope of its own.
  'src/finops/anomalies/spend-watch.ts',
  // Organizations are looked for that use what a price row changes; each is told by itself.
  'src/finops/costs/price-notices.ts',
  // Rows of all tenants are sealed, and erasures are preceded by the sealing of what is left.
  'src/access/personal-data/seal-open-rows.ts',
  // What operators change of the providers belongs to no tenant.
  'src/catalog/fleet/service.ts',
  'src/money/operations/perform.ts',
  // The marketplace and the verification of badges are public: they show listings of all.
  'src/assurance/certification/public.ts',
  // Operators decide about claims, listings and reports of all; readers report those of others.
  'src/assurance/publishers/proof.ts',
  'src/assurance/publishers/questioned-listings.ts',
  'src/assurance/publishers/decisions.ts',
  'src/assurance/marketplace/measures.ts',
  'src/assurance/marketplace/reports.ts',
  // Beacons of pages belong to no tenant.
  'src/growth/analytics/counts.ts',
  // Mutations that find or make another tenant (app/keyed-mutations).
  'src/records/keyed-transaction.ts',
];

/** Places that see the rows of all tenants and are not known for it, and stale exceptions. */
export function unnamedPlatformWork(): string[] {
  return allowedUses(
    /\b(everyTenant|transactAcrossTenants)\(|\bplatformPool\b/,
    'sees the rows of all tenants',
    [['src/platform/database/', 'src/graph/ctx.ts'], PLATFORM_WORK],
  );
}

function allowedUses(
  pattern: RegExp,
  what: string,
  [always, exceptions]: readonly [readonly string[], readonly string[]],
): string[] {
  const using = codeBelow('src').filter(
    ({ path, text }) => pattern.test(text) && !always.some((start) => path.startsWith(start)),
  );
  const paths = new Set(using.map(({ path }) => path));
  return [
    ...using
      .filter(({ path }) => !exceptions.includes(path))
      .map((file) => at(file, lineOf(file, pattern), what)),
    ...exceptions.filter((path) => !paths.has(path)).map((path) => `${path} is no exception now`),
  ];
}

function lineOf({ lines }: SourceFile, pattern: RegExp): number {
  return lines.findIndex((line) => pattern.test(line)) + 1;
}
