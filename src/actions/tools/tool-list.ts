import { type DefaultConnectionArguments, resolveCursorConnection } from '@pothos/plugin-relay';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { PAGE_DEFAULT, PAGE_MAX } from '../../graph/limits.js';
import { fail } from '../../kernel/errors/fail.js';
import { isUuid } from '../../kernel/ids.js';
import { TOOL, type ToolVersion, toolVersionOf } from './registry.js';

/** A tool of a list: its current version, at the place of its first one. */
export interface ListedTool extends ToolVersion {
  /** The id of the first version, which orders the list: a new version moves no tool. */
  readonly place: string;
}

interface PageOf {
  readonly before?: string;
  readonly after?: string;
  readonly limit: number;
  readonly inverted: boolean;
}

/**
 * A page of the tenant's tools, the last new one first. Two statements, however many tools.
 * @throws invalid_cursor
 */
export function toolsPage(ctx: AuthorizedCtx, args: DefaultConnectionArguments) {
  const sizes = { defaultSize: PAGE_DEFAULT, maxSize: PAGE_MAX };
  const options = { args, toCursor: ({ place }: ListedTool) => place, ...sizes };
  return resolveCursorConnection(options, (page: PageOf) => readPage(ctx, page));
}

async function readPage(ctx: AuthorizedCtx, page: PageOf): Promise<ListedTool[]> {
  const { after = LAST, before = FIRST } = page;
  if (!isUuid(after) || !isUuid(before)) return fail('invalid_cursor', { param: 'cursor' });
  const { tenantId } = ctx.who;
  const tools = database(ctx);
  const found = await tools.$queryRaw<{ place: string; id: string }[]>`
    SELECT first.id AS place, current.id FROM contract_version first
    JOIN LATERAL (SELECT id FROM contract_version
      WHERE tenant_id = first.tenant_id AND kind = first.kind AND contract_key = first.contract_key
      ORDER BY version DESC LIMIT 1) current ON true
    WHERE first.tenant_id = ${tenantId}::uuid AND first.kind = ${TOOL} AND first.version = 1
      AND first.id < ${after}::uuid AND first.id > ${before}::uuid
    ORDER BY CASE WHEN ${page.inverted} THEN first.id END ASC, first.id DESC LIMIT ${page.limit}`;
  const where = { id: { in: found.map(({ id }) => id) } };
  const rows = await tools.contractVersion.findMany({ where });
  const versions = new Map(rows.map((row) => [row.id, toolVersionOf(row)]));
  return found.flatMap(({ place, id }) => {
    const version = versions.get(id);
    return version ? [{ ...version, place }] : [];
  });
}

/** Beyond every id, on both sides. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const FIRST = '00000000-0000-0000-0000-000000000000';
