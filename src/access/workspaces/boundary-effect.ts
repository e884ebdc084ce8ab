import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { measuredFrom } from '../../records/measured.js';
import { requireOwn } from '../../records/own.js';
import { LINE_JOIN } from '../keys/line-sql.js';
import { DRY_RUN_DAYS } from '../policies/vocabulary.js';
import { requireNoWorkspace, requireWorkspace } from './boundary.js';
import {
  type Belonging,
  type PastCalls,
  type RefusedCalls,
  refusedOf,
  type Supposition,
} from './boundary-effect.rules.js';
import type { BOUNDARY_EFFECT, BOUNDARY_QUESTION } from './boundary-tables.js';
import { claimsJoin, PRESENT_HOLDER } from './claims-sql.js';
import { BOUNDARY_BOUNDS } from './vocabulary.js';

type Question = ValuesOf<typeof BOUNDARY_QUESTION>;
type Effect = ValuesOf<typeof BOUNDARY_EFFECT.fields>;

const DAY_MS = 86_400_000;
const { requestsMax, groupsMax, shownMax } = BOUNDARY_BOUNDS;

/**
 * Which requests of the last seven days would have been refused, if every request needed a
 * workspace or if a key, member or project belonged to one: a dry run of these changes.
 * @throws invalid_request with every fault, not_found, workspace_caller_bound, report_timed_out
 */
export async function boundaryEffect(ctx: AuthorizedCtx, question: Question): Promise<Effect> {
  requireNoWorkspace(ctx);
  const moved = await movedBy(ctx, question);
  const to = sharedNow();
  const from = new Date(to.getTime() - DRY_RUN_DAYS * DAY_MS);
  const compute = ([past]: readonly Past[]) => {
    if (!past) throw new Error('the past was not read');
    const isRequired = question.required ?? past.isRequired;
    return effectOf(past, { isRequired, moved });
  };
  const { value, provenance } = await measuredFrom(ctx, pastOf(ctx, from), compute);
  return { from, to, ...value, provenance };
}

async function movedBy(ctx: AuthorizedCtx, question: Question): Promise<Supposition['moved']> {
  const { keyId, memberId, projectId, workspaceId } = question;
  const named = [
    ['key', 'ApiKey', 'keyId', keyId, 'API key'],
    ['member', 'User', 'memberId', memberId, 'member'],
    ['project', 'Project', 'projectId', projectId, 'project'],
  ] as const;
  const stated = named.flatMap(([kind, model, param, id, subject]) =>
    id === null ? [] : [{ kind, model, param, id, subject }],
  );
  const [first, second] = stated;
  failOnFaults([
    ...fits(second?.param ?? '', second === undefined, `must be left out beside ${first?.param}`),
    ...fits(
      'workspaceId',
      workspaceId === null || first !== undefined,
      'goes with a key, a member or a project',
    ),
  ]);
  if (!first) return undefined;
  const { kind, model, id, param, subject } = first;
  await requireOwn(ctx, model, id, { param, subject });
  if (workspaceId !== null) await requireWorkspace(ctx, workspaceId, { param: 'workspaceId' });
  return { kind, id: id.toLowerCase(), workspaceId };
}

/** What was asked for, and who belongs where at this moment. */
interface Past {
  readonly isRequired: boolean;
  /** The most frequent first; one more than are judged where there are more. */
  readonly calls: readonly (PastCalls & { readonly total: number })[];
  readonly keys: ReadonlyMap<
    string,
    { readonly name: string; readonly line: readonly Belonging[] }
  >;
  readonly members: ReadonlyMap<string, Belonging>;
  readonly projects: ReadonlyMap<string, Belonging>;
}

function effectOf({ calls, keys, members, projects }: Past, supposed: Supposition) {
  const judged = calls.slice(0, groupsMax);
  const belongingsOf = ({ keyId, userId, projectId }: PastCalls) => {
    const member = members.get(userId ?? '');
    const project = projects.get(projectId);
    return [
      ...(keys.get(keyId ?? '')?.line ?? []),
      ...(member ? [member] : []),
      ...(project ? [project] : []),
    ];
  };
  const refused = refusedOf(judged, belongingsOf, supposed);
  const requestsOf = (of: readonly PastCalls[]) => of.reduce((sum, each) => sum + each.requests, 0);
  const all = calls[0]?.total ?? 0;
  return {
    complete: all <= requestsMax && calls.length <= groupsMax,
    requests: requestsOf(judged),
    refused: requestsOf(refused),
    callers: refused.slice(0, shownMax).map((each) => shownRefusal(each, keys)),
  };
}

function shownRefusal(
  { keyId, userId, contradiction, named, ...calls }: RefusedCalls,
  keys: Past['keys'],
): Effect['callers'][number] {
  const { projectId, reason, requests, firstAt, lastAt } = calls;
  const saying = contradiction.map(({ source, workspaceId }) => ({ source, workspaceId }));
  const figures = { projectId, reason, requests, firstAt, lastAt, contradiction: saying };
  if (keyId === null) return { kind: 'member', callerId: userId ?? '', name: null, ...figures };
  return { kind: 'key', callerId: keyId, name: keys.get(keyId)?.name ?? null, ...figures };
}

/** Requests count for the project that they were made in, not for that of their key now. */
const KEYS_JOINS = Prisma.raw(`${LINE_JOIN} ${claimsJoin(PRESENT_HOLDER, 'all')}`);

/** Four statements, however many callers there were. */
function pastOf({ who: { tenantId } }: AuthorizedCtx, from: Date) {
  return async (rows: Transaction): Promise<Past[]> => {
    const calls = await rows.$queryRaw<Past['calls']>`
      SELECT key_id AS "keyId", user_id AS "userId", project_id AS "projectId", named,
        count(*)::int AS requests, min(created_at) AS "firstAt", max(created_at) AS "lastAt",
        (sum(count(*)) OVER ())::int AS total
      FROM (
        SELECT key_id, user_id, project_id, created_at,
          CASE WHEN metadata -> 'gw_workspace' ? 'implied' THEN NULL
            ELSE metadata -> 'gw_workspace' ->> 'id' END AS named
        FROM usage_event WHERE tenant_id = ${tenantId}::uuid AND created_at >= ${from}
        ORDER BY seq DESC LIMIT ${requestsMax + 1}::int) newest
      GROUP BY 1, 2, 3, 4 ORDER BY requests DESC, "lastAt" DESC LIMIT ${groupsMax + 1}::int`;
    const ids = [...new Set(calls.flatMap(({ keyId }) => keyId ?? []))];
    const keys = await rows.$queryRaw<
      { id: string; name: string; claims: readonly Belonging[] | null }[]
    >(Prisma.sql`
      SELECT k.id, k.name, belonging.claims FROM api_key k ${KEYS_JOINS}
      WHERE k.tenant_id = ${tenantId}::uuid AND k.id = ANY (${ids}::uuid[])`);
    const place = { id: true, workspaceId: true };
    const members = await rows.user.findMany({ where: { tenantId }, select: place });
    const projects = await rows.project.findMany({
      where: { tenantId },
      select: { ...place, name: true },
    });
    const tenant = await rows.tenant.findFirstOrThrow({ where: { id: tenantId } });
    return [
      {
        isRequired: tenant.workspaceRequired,
        calls,
        keys: new Map(keys.map(({ id, name, claims }) => [id, { name, line: claims ?? [] }])),
        members: placesOf('member', members),
        projects: placesOf('project', projects),
      },
    ];
  };
}

interface Place {
  readonly id: string;
  readonly name?: string;
  readonly workspaceId: string | null;
}

function placesOf(kind: Belonging['kind'], places: readonly Place[]): Past['members'] {
  return new Map(
    places.map(({ id, name = id, workspaceId }) => [id, { kind, id, name, workspaceId }]),
  );
}
