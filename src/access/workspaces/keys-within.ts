import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { LINE_JOIN } from '../keys/line-sql.js';
import { workspaceOfCaller } from './boundary.js';
import { claimsJoin, PRESENT_HOLDER } from './claims-sql.js';

const JOINS = Prisma.raw(`${LINE_JOIN} ${claimsJoin(PRESENT_HOLDER)}`);

/**
 * A condition: whether an id is that of a key or token that the caller sees. Callers of a workspace
 * see what belongs to it and to no other one, by the same rule as requests; others see all.
 */
export function isKeyWithin(ctx: AuthorizedCtx, id: Prisma.Sql): Prisma.Sql {
  const workspaceId = workspaceOfCaller(ctx);
  if (workspaceId === undefined) return Prisma.sql`true`;
  return Prisma.sql`${id} IN (
    SELECT k.id FROM api_key k ${JOINS}
    WHERE k.tenant_id = ${ctx.who.tenantId}::uuid
      AND jsonb_path_query_array(belonging.claims, '$[*].workspaceId')
        <@ jsonb_build_array(${workspaceId}::text))`;
}

/**
 * The ids of the keys that the caller sees, tokens left out.
 * @param among looks at these alone
 * @returns undefined for a caller of no workspace, who sees all
 */
export async function keyIdsWithin(
  ctx: AuthorizedCtx,
  among?: readonly string[],
): Promise<readonly string[] | undefined> {
  if (workspaceOfCaller(ctx) === undefined) return undefined;
  const rows = await database(ctx).$queryRaw<{ id: string }[]>(Prisma.sql`
    SELECT w.id FROM api_key w
    WHERE w.tenant_id = ${ctx.who.tenantId}::uuid AND w.key_type <> 'ephemeral'
      AND (${among ?? null}::uuid[] IS NULL OR w.id = ANY(${among ?? null}::uuid[]))
      AND ${isKeyWithin(ctx, Prisma.sql`w.id`)}`);
  return rows.map(({ id }) => id);
}
