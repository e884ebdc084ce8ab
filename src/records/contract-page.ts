import { type DefaultConnectionArguments, resolveCursorConnection } from '@pothos/plugin-relay';
import type { ContractVersion } from '../generated/prisma/client.js';
import { PAGE_DEFAULT, PAGE_MAX } from '../graph/limits.js';
import { fail } from '../kernel/errors/fail.js';
import { isUuid } from '../kernel/ids.js';
import { databaseOf, type TenantScope } from './scope.js';

interface PageOf {
  readonly before?: string;
  readonly after?: string;
  readonly limit: number;
  readonly inverted: boolean;
}

/** A current version with the id of the first one, which orders the list. */
interface Placed {
  readonly place: string;
}

/**
 * A page of the current versions of a kind's contracts, the last new contract first: a new version
 * moves none of them. Two statements, however many contracts.
 * @param holding members that the body of a current version must have, by their stored names
 * @throws invalid_cursor
 */
export function contractsPage<T extends object>(
  scope: TenantScope,
  kind: string,
  args: DefaultConnectionArguments,
  read: (row: ContractVersion) => T,
  holding: Readonly<Record<string, string>> = {},
) {
  const sizes = { defaultSize: PAGE_DEFAULT, maxSize: PAGE_MAX };
  const options = { args, toCursor: ({ place }: T & Placed) => place, ...sizes };
  return resolveCursorConnection(options, async (page: PageOf) => {
    const placed = await readPage(scope, kind, page, JSON.stringify(holding));
    return placed.map(({ row, place }) => ({ ...read(row), place }));
  });
}

async function readPage(scope: TenantScope, kind: string, page: PageOf, holding: string) {
  const { after = LAST, before = FIRST } = page;
  if (!isUuid(after) || !isUuid(before)) return fail('invalid_cursor', { param: 'cursor' });
  const { tenantId } = scope.who;
  const database = databaseOf(scope);
  const found = await database.$queryRaw<{ place: string; id: string }[]>`
    SELECT first.id AS place, current.id FROM contract_version first
    JOIN LATERAL (SELECT id, body FROM contract_version
      WHERE tenant_id = first.tenant_id AND kind = first.kind AND contract_key = first.contract_key
      ORDER BY version DESC LIMIT 1) current ON true
    WHERE first.tenant_id = ${tenantId}::uuid AND first.kind = ${kind} AND first.version = 1
      AND first.id < ${after}::uuid AND first.id > ${before}::uuid
      AND current.body @> ${holding}::jsonb
    ORDER BY CASE WHEN ${page.inverted} THEN first.id END ASC, first.id DESC LIMIT ${page.limit}`;
  const where = { id: { in: found.map(({ id }) => id) } };
  const rows = await database.contractVersion.findMany({ where });
  const byId = new Map(rows.map((row) => [row.id, row]));
  return found.flatMap(({ place, id }) => {
    const row = byId.get(id);
    return row ? [{ row, place }] : [];
  });
}

/** Beyond every id, on both sides. */
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const FIRST = '00000000-0000-0000-0000-000000000000';
