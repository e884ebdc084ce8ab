import type { AuthorizedCtx } from '../graph/ctx.js';
import { aliasFor, isOwnName, nearAliases } from '../routing/aliases/alias.rules.js';
import type { AliasesInForce } from '../routing/aliases/alias-cache.js';
import type { InferenceRequest } from './request.js';

/**
 * The request under the model that its name stands for. Every stage after this one judges that
 * model; only receipts and usage tell the name that the client sent. Names of the gateway's own are
 * never looked up, and aliases are asked from memory.
 */
export function aliased(
  ctx: AuthorizedCtx,
  request: InferenceRequest,
): InferenceRequest | Promise<InferenceRequest> {
  if (isOwnName(request.model)) return request;
  const inForce = ctx.services.modelAliases.forTenant(ctx.who.tenantId);
  const { models } = ctx.services.registry;
  const resolve = (aliases: AliasesInForce): InferenceRequest => {
    if (aliases.size === 0) return request;
    const { model } = request;
    const alias = aliasFor(aliases, model, (name) => models.has(name));
    if (alias) return { ...request, model: alias.target, alias };
    return models.has(model) ? request : { ...request, near: nearAliases(aliases, model) };
  };
  return inForce instanceof Promise ? inForce.then(resolve) : resolve(inForce);
}

/** The model as the client named it. */
export function requestedModel({ alias, degraded, model }: InferenceRequest): string {
  return degraded?.from ?? alias?.name ?? model;
}
