import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { measuredFrom } from '../../records/measured.js';
import { databaseOf } from '../../records/scope.js';
import { type TrustFacts, trustFacts } from '../trust/facts.js';
import type { OwnFacts } from './documents.rules.js';
import { OBSERVED_DAYS } from './vocabulary.js';

/** More projects than these are not named in a document. */
const PROJECTS_MAX = 200;

const known = new WeakMap<AuthorizedCtx, Promise<OwnFacts>>();

/** What holds for the organization of the caller now; read once for a request. */
export function ownFacts(ctx: AuthorizedCtx): Promise<OwnFacts> {
  const read = known.get(ctx) ?? readFacts(ctx);
  known.set(ctx, read);
  return read;
}

async function readFacts(ctx: AuthorizedCtx): Promise<OwnFacts> {
  const database = databaseOf(ctx);
  const { tenantId: id } = ctx.who;
  const trust: TrustFacts = await trustFacts(ctx.services, sharedNow());
  const [tenant, projects, { value: routes }, kept] = await Promise.all([
    database.tenant.findUniqueOrThrow({ where: { id } }),
    projectsOf(ctx),
    measuredFrom(ctx, routesTaken(id), (rows) => [...rows]),
    keptOf(ctx),
  ]);
  const { slaClass } = ctx.who;
  return { organization: tenant.name, slaClass, projects, routes, kept, trust };
}

/** How many rows of an organization may hold texts, by the code of what is kept, where counted. */
async function keptOf(ctx: AuthorizedCtx): Promise<OwnFacts['kept']> {
  const database = databaseOf(ctx);
  const counted = async (...counts: Promise<number>[]) =>
    (await Promise.all(counts)).reduce((sum, count) => sum + count, 0);
  const { integrationPreview, integrationAction, integrationRecord } = database;
  const { promptVersion, promptCaseSet, blueprintRun } = database;
  const [toolCalls, integrations, ownMaterial] = await Promise.all([
    counted(database.toolCall.count()),
    counted(integrationPreview.count(), integrationAction.count(), integrationRecord.count()),
    counted(promptVersion.count(), promptCaseSet.count(), blueprintRun.count()),
  ]);
  return { tool_calls: toolCalls, integrations, own_material: ownMaterial };
}

/** Each project with what all its policies together allow. */
async function projectsOf(ctx: AuthorizedCtx): Promise<OwnFacts['projects']> {
  const { tenantId } = ctx.who;
  const rows = await databaseOf(ctx).project.findMany({
    where: { tenantId },
    orderBy: { id: 'asc' },
    take: PROJECTS_MAX,
  });
  return Promise.all(
    rows.map(async ({ id, name }) => {
      const { hybrid, firewall, unread } = await ctx.services.policies.forProject(tenantId, id);
      return { name, hybrid, firewall, unread };
    }),
  );
}

interface RouteTaken {
  readonly provider: string;
  readonly route: string;
  readonly simulated: boolean;
  readonly requests: number;
}

function routesTaken(tenantId: string) {
  return (rows: Transaction) => rows.$queryRaw<RouteTaken[]>`
    SELECT provider, route, simulated, count(*)::int AS requests
    FROM usage_event
    WHERE tenant_id = ${tenantId}::uuid
      AND created_at >= now() - make_interval(days => ${Prisma.sql`${OBSERVED_DAYS}::int`})
    GROUP BY 1, 2, 3 ORDER BY 1, 2, 3`;
}
