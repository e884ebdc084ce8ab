import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { authorized } from '../../graph/database.js';

/**
 * The caller of a request. Whether the credential still holds is checked again inside the hold.
 * @throws missing_credential, invalid_api_key, api_key_revoked, invalid_token
 */
export function authenticate(ctx: Ctx): AuthorizedCtx {
  return authorized(ctx);
}
