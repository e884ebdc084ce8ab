import type { TokenRefused } from '../../access/abuse/credential.js';
import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { AuthorizedCtx, KeyBounds } from '../../graph/ctx.js';
import { fail } from '../../kernel/errors/fail.js';
import { aliasFor } from '../../routing/aliases/alias.rules.js';
import type { AliasesInForce } from '../../routing/aliases/alias-cache.js';
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

/**
 * The policy of the project, made narrower by the models of the token, of the keys that led to the
 * caller, and of the workspace.
 */
export function narrowed(
  policy: EffectivePolicy,
  ctx: AuthorizedCtx,
  used: Pick<UsedWorkspace, 'workspace'> | undefined,
): EffectivePolicy | Promise<EffectivePolicy> {
  const { who, services } = ctx;
  const models = who.token?.allowedModels;
  const ofToken = models
    ? intersected(policy, models, `ephemeral token ${who.token?.name}`)
    : policy;
  const ofWorkspace = used
    ? intersected(
        ofToken,
        approvedModels(used.workspace, services.registry),
        `workspace ${used.workspace.name}`,
      )
    : ofToken;
  return who.bounds ? withinKeys(ctx, who.bounds, ofWorkspace) : ofWorkspace;
}

/** A model of a key's list is one that is called so, or the target of an alias that is. */
function withinKeys(
  { who, services }: AuthorizedCtx,
  bounds: readonly KeyBounds[],
  policy: EffectivePolicy,
): EffectivePolicy | Promise<EffectivePolicy> {
  if (bounds.every(({ models }) => models === undefined)) return policy;
  const { models: served } = services.registry;
  const within = (aliases: AliasesInForce) =>
    bounds.reduce((narrower, { models, name }) => {
      if (!models) return narrower;
      // A listed model stays itself, also where an alias stands for its name.
      const ends = [...models].map((each) =>
        served.has(each) ? each : (aliasFor(aliases, each, () => false)?.target ?? each),
      );
      return intersected(narrower, new Set(ends), `key ${name}`);
    }, policy);
  const inForce = services.modelAliases.forTenant(who.tenantId);
  return inForce instanceof Promise ? inForce.then(within) : within(inForce);
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
