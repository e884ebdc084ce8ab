import { hash } from 'node:crypto';

declare const identity: unique symbol;

/** What an answer is kept under. Only `cacheIdentity` makes one, so none lacks its tenant. */
export type CacheIdentity = string & { readonly [identity]: true };

/** What two requests must share to share an answer. */
export interface CacheIdentityParts {
  readonly tenantId: string;
  readonly model: string;
  /** The policies that apply, with their versions: others may forbid what these allowed. */
  readonly policy: string;
  /** SHA-256 of the canonical request, 64 hexadecimal digits. */
  readonly requestSha256: string;
  /** The client of the organization whose answers are kept apart; absent where they are not. */
  readonly client?: string;
  /** The project whose answers are kept apart; absent where they are not. */
  readonly project?: string;
}

/**
 * The identity of an answer: SHA-256 over its parts, each with its length, so that no part can be
 * taken for another.
 * @throws TypeError without a tenant
 */
export function cacheIdentity(parts: CacheIdentityParts): CacheIdentity {
  const { tenantId, model, policy, requestSha256, client, project } = parts;
  if (tenantId === '') throw new TypeError('an answer is kept for a tenant, or not at all');
  // Two parts for a project and one for a client, so that no client id is taken for a project.
  const apart = [
    ...(client === undefined ? [] : [client]),
    ...(project === undefined ? [] : ['project', project]),
  ];
  const told = [tenantId, model, policy, requestSha256, ...apart].map(
    (part) => `${Buffer.byteLength(part)}:${part};`,
  );
  return hash('sha256', told.join('')) as CacheIdentity;
}
