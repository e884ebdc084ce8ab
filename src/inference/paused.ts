import { concerning } from '../finops/budgets/budgets.rules.js';
import type { SpendControls } from '../finops/budgets/spend-controls.js';
import type { AuthorizedCtx } from '../graph/ctx.js';
import { fail } from '../kernel/errors/fail.js';
import type { InferenceRequest } from './request.js';
import { spendScopes } from './spend-scopes.js';
import type { ChosenRoute } from './stages/route.js';

/**
 * Refuses a request that names a scope which an anomaly has paused.
 * @throws spend_paused with the approval that resumes it
 */
export function requireRunning(
  { who, services }: AuthorizedCtx,
  request: InferenceRequest,
  route: ChosenRoute,
): void | Promise<void> {
  const refuse = ({ pauses }: SpendControls): void => {
    if (pauses.size === 0) return;
    const [pause] = concerning(pauses, spendScopes(request, route));
    if (!pause) return;
    const { id, scope, ref, reason, approvalId } = pause;
    fail('spend_paused', {
      values: { scope, ref, reason },
      data: { pause_id: id, approval_id: approvalId },
    });
  };
  const known = services.spendControls.forTenant(who.tenantId);
  return known instanceof Promise ? known.then(refuse) : refuse(known);
}
