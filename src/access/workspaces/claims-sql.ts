import type { WorkspaceClaim } from '../../graph/ctx.js';

/** Of which keys the projects count. */
const PROJECTS = {
  bound: 'line.makers || k.id',
  all: 'line.makers',
  lasting: 'ARRAY[k.id]',
} as const;

/**
 * Joins, as `belonging.claims`, everything that says which workspace a key `k` belongs to: the keys
 * of its line, the members who own it or hold a secret of its line, and the projects of it and of
 * its line: what a key has made follows it into the workspace of its project. A key of the
 * organization is bound by no member. Comes after `LINE_JOIN`.
 * @param holder an expression: who was given the secret that is looked at
 * @param which `all` also brings what belongs to no workspace, and leaves out the own project,
 * which requests name themselves; `lasting` leaves out projects of others, which these can leave
 */
export function claimsJoin(holder: string, which: keyof typeof PROJECTS = 'bound'): string {
  return `CROSS JOIN LATERAL (
  SELECT jsonb_agg(jsonb_build_object('kind', said.kind, 'id', said.id, 'name', said.name,
           'workspaceId', said.workspace_id) ORDER BY said.kind, said.id) AS claims
  FROM (
    SELECT 'key' AS kind, m.id, m.name, m.workspace_id FROM api_key m
    WHERE m.tenant_id = k.tenant_id AND m.id = ANY (line.makers || k.id)
    UNION ALL
    SELECT 'member', u.id, u.id::text, u.workspace_id FROM app_user u
    WHERE u.tenant_id = k.tenant_id AND u.id = ANY (
      line.holders || CASE WHEN NOT line.is_shared THEN line.created_by END
      || CASE WHEN k.key_type <> 'service' THEN ARRAY[${holder}] END)
    UNION ALL
    SELECT 'project', p.id, p.name, p.workspace_id FROM project p
    WHERE p.tenant_id = k.tenant_id AND p.id IN (
      SELECT m.project_id FROM api_key m
      WHERE m.tenant_id = k.tenant_id AND m.id = ANY (${PROJECTS[which]}))) said
  ${which === 'all' ? '' : 'WHERE said.workspace_id IS NOT NULL'}) belonging`;
}

/** Who holds the present secret of a key. */
export const PRESENT_HOLDER = 'COALESCE(k.rotated_by, k.created_by)';

/** What `claimsJoin` brings. */
export interface ClaimColumns {
  readonly claims: readonly WorkspaceClaim[] | null;
}
