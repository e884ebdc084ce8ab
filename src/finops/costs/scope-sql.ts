import { Prisma } from '../../generated/prisma/client.js';

/**
 * Whether the row `u` of `usage_event` belongs to a reference of a scope: the same members of
 * requests as budgets go by. `*` is every row that names any.
 */
export function ofScope(scope: Prisma.Sql, ref: Prisma.Sql): Prisma.Sql {
  return Prisma.sql`CASE ${scope}
    WHEN 'use_case' THEN u.feature IS NOT NULL AND ${ref} IN ('*', u.feature)
    WHEN 'partner_client' THEN u.client_id IS NOT NULL AND ${ref} IN ('*', u.client_id)
    WHEN 'agent_session' THEN
      COALESCE(u.metadata ->> 'session_id', u.metadata ->> 'agent_session') IS NOT NULL
      AND ${ref} IN ('*', COALESCE(u.metadata ->> 'session_id', u.metadata ->> 'agent_session'))
    WHEN 'route' THEN ${ref} IN ('*', u.requested_model, u.model)
      OR u.requested_model = 'gw:route/' || ${ref}
    WHEN 'ephemeral_token' THEN
      u.metadata ? 'gw_token' AND ${ref} IN ('*', u.key_id::text)
    WHEN 'key' THEN u.key_id IS NOT NULL AND ${ref} IN ('*', u.key_id::text)
    WHEN 'workspace_user' THEN u.metadata -> 'gw_workspace' ->> 'user' IS NOT NULL
      AND ${ref} IN ('*', concat_ws('/', u.metadata -> 'gw_workspace' ->> 'id',
        u.metadata -> 'gw_workspace' ->> 'user'))
    WHEN 'each' THEN FALSE
    ELSE ${ref} IN ('*', u.project_id::text) END`;
}
