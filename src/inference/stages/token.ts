import type { TokenRefused } from '../../access/abuse/credential.js';
import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import type { InferenceRequest } from '../request.js';
import type { UsedWorkspace } from '../used-workspace.js';
import { approvedModels } from './workspace.js';

/**
 * Refuses an operation that is beyond the scope of an ephemeral token.
 * @throws ephemeral_scope_exceeded
 */
export function requireScope({ who }: AuthorizedCtx, { operation }: InferenceRequest): void {
  const { token } = who;
  if (!token || token.operations.includes(operation)) return;
  fail('ephemeral_scope_exceeded', { values: { scope: token.scope, operation } });
}

/**
 * Counts the request of an ephemeral token; other requests pass without asking anybody.
 * @returns whether one was counted, which is given back where the gateway refuses the request
 * @throws api_key_revoked, ephemeral_token_expired, ephemeral_token_spent
 */
export async function takeTokenRequest({ who, services }: AuthorizedCtx): Promise<boolean> {
  const { token } = who;
  if (!token) return false;
  const refused = await services.tokenQuota.take(who.id);
  if (refused !== undefined) REFUSE[refused](token.requestsMax);
  return true;
}

const REFUSE: Readonly<Record<TokenRefused, (limit: number) => never>> = {
  revoked: () => fail('api_key_revoked'),
  expired: () => fail('ephemeral_token_expired'),
  spent: (limit) => fail('ephemeral_token_spent', { values: { limit } }),
};

/** Gives back what was counted of a request that nobody was called for. */
export async function giveTokenRequestBack({ who, services, requestId }: AuthorizedCtx) {
  try {
    await services.tokenQuota.giveBack(who.id);
  } catch (error) {
    // It stays counted: a token is never used more often than it may be.
    services.log.warn({ err: error, requestId }, 'a request of a token was not given back');
  }
}

/** The policy of the project, made narrower by the models of the token and of the workspace. */
export function narrowed(
  policy: EffectivePolicy,
  { who, services }: AuthorizedCtx,
  used: UsedWorkspace | undefined,
): EffectivePolicy {
  const models = who.token?.allowedModels;
  const ofToken = models
    ? intersected(policy, models, `ephemeral token ${who.token?.name}`)
    : policy;
  if (!used) return ofToken;
  const { workspace } = used;
  const routes = approvedModels(workspace, services.registry);
  return intersected(ofToken, routes, `workspace ${workspace.name}`);
}

/** A list that takes nothing away is not told as the reason of a refusal. */
function intersected(
  policy: EffectivePolicy,
  models: ReadonlySet<string>,
  listOf: string,
): EffectivePolicy {
  const { allowedModels } = policy;
  if (!allowedModels) return { ...policy, allowedModels: models, allowListOf: listOf };
  const both = [...allowedModels].filter((each) => models.has(each));
  const isSame = both.length === allowedModels.size;
  const allowListOf = isSame ? policy.allowListOf : `${policy.allowListOf}, ${listOf}`;
  return { ...policy, allowedModels: new Set(both), allowListOf };
}
