import { type Customer, graphql, type TestApp } from '../../support/app.js';

interface Ran {
  readonly migrationCheckRun: { readonly id: string };
}

async function runOf(app: Pick<TestApp, 'url'>, { token }: Customer): Promise<string> {
  const { data } = await graphql<Ran>(app, 'mutation { migrationCheckRun { id } }', {}, token);
  return data.migrationCheckRun.id;
}

const LINK = 'runId reportId url expiresAt simulated sha256';
const SHARE = `mutation($runId: ID!) { migrationReportShare(runId: $runId) { ${LINK} } }`;
const UNSHARE = `mutation($runId: ID!) {
  migrationReportUnshare(runId: $runId) { id runId shared version }
}`;

/** A link to a report as it is answered. */
export interface ShownLink {
  readonly runId: string;
  readonly reportId: string;
  readonly url: string;
  readonly expiresAt: string;
  readonly simulated: boolean;
  readonly sha256: string;
}

/** Shares a run. */
export async function shareOf(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  runId: string,
): Promise<ShownLink> {
  const { data } = await graphql<{ migrationReportShare: ShownLink }>(app, SHARE, { runId }, token);
  return data.migrationReportShare;
}

/** One successful call of each mutation of the module, by the member. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    migrationCheckRun: (customer) => runOf(app, customer),
    migrationReportShare: async (customer) => shareOf(app, customer, await runOf(app, customer)),
    async migrationReportUnshare(customer) {
      const runId = await runOf(app, customer);
      await shareOf(app, customer, runId);
      return graphql(app, UNSHARE, { runId }, customer.token);
    },
  };
}

/** One of each thing of the module: ids by type. */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  const MigrationCheckRun = await runOf(app, customer);
  const { reportId } = await shareOf(app, customer, MigrationCheckRun);
  const { data } = await graphql<{ migrationReportSharings: { nodes: { id: string }[] } }>(
    app,
    '{ migrationReportSharings(first: 1) { nodes { id } } }',
    {},
    customer.token,
  );
  const [sharing] = data.migrationReportSharings.nodes;
  return {
    MigrationCheckRun,
    MigrationCheckReport: reportId,
    MigrationReportSharing: String(sharing?.id),
  };
}
