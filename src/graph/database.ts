import { GatewayError } from '../kernel/errors/fail.js';
import type { PrismaDatabase } from '../platform/database/prisma.js';
import { tenantDatabase } from '../platform/database/tenant.js';
import type { AuthorizedCtx, Ctx, Principal } from './ctx.js';

/** Tenant of callers without a credential: it owns no row. */
const NOBODY = '00000000-0000-0000-0000-000000000000';

/** The database as the caller's tenant sees it; without a caller no row is visible. */
export function database(ctx: Ctx): PrismaDatabase {
  return tenantDatabase(ctx.services.prisma, ctx.who?.tenantId ?? NOBODY);
}

/**
 * The caller of an operation that needs one.
 * @throws missing_credential, or the failure of the credential that was shown
 */
export function caller(ctx: Ctx): Principal {
  if (ctx.who) return ctx.who;
  throw ctx.whoFailure ?? new GatewayError('missing_credential');
}

/** The same request, known to have a caller. */
export function authorized(ctx: Ctx): AuthorizedCtx {
  caller(ctx);
  return ctx as AuthorizedCtx;
}
