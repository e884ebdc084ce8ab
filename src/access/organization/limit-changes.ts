import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';

/**
 * Keeps changes of limits to members where the organization says so: those of keys, budgets,
 * policies, workspaces, and the throttles of incidents.
 * @throws limits_by_members_only
 */
export function requireLimitChanger({ who }: AuthorizedCtx): void {
  if (who.limitsByMembers) fail('limits_by_members_only');
}
