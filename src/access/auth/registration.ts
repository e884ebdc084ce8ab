import type { Account, Project, Tenant, User } from '../../generated/prisma/client.js';
import { Prisma } from '../../generated/prisma/client.js';
import type { Ctx } from '../../graph/ctx.js';
import { fail, failOnFaults, GatewayError } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { openAccount } from '../../money/billing/account.js';
import { openTerms } from '../../money/billing/terms.js';
import { everyTenant } from '../../platform/database/tenant.js';
import { audit } from '../../records/audit-trail.js';
import { transactAcrossTenants } from '../../records/scope.js';
import { emailFaults, normalEmail } from './email.rules.js';
import { hashPassword, passwordFits } from './passwords.js';
import { nameFaults, passwordFaults } from './rules.js';
import { refusedCode } from './second-factor.js';
import { lockMember, openSession, type Tokens } from './sessions.js';
import { clearLoginFailures, takeLoginTry, takeRegistration } from './throttle.js';

/** What a new customer states. */
export interface Registration {
  readonly email: string;
  readonly password: string;
  readonly organization: string;
}

/** Everything that registration made, with the first login. */
export interface Registered extends Tokens {
  readonly tenant: Tenant;
  readonly project: Project;
  readonly account: Account;
  readonly user: User;
}

/** A login: the user and its tokens. */
export interface LoggedIn extends Tokens {
  readonly user: User;
}

/**
 * Creates organization, project, ruble account and owner in one transaction.
 * @throws invalid_request with every fault, registration_throttled, overloaded, email_taken
 */
export async function registerTenant(ctx: Ctx, input: Registration): Promise<Registered> {
  failOnFaults([
    ...emailFaults(input.email),
    ...passwordFaults(input.password),
    ...nameFaults('organization', input.organization),
  ]);
  await takeRegistration(ctx);
  const passwordHash = await hashPassword(ctx, input.password);
  try {
    return await transactAcrossTenants(ctx.services, async (tx) => {
      const tenant = await tx.tenant.create({
        data: { id: newId('Tenant'), name: input.organization.trim() },
      });
      const project = await tx.project.create({
        data: { id: newId('Project'), tenantId: tenant.id, name: 'default' },
      });
      const account = await openAccount(tx, tenant.id);
      await openTerms(tx, tenant.id);
      const user = await tx.user.create({
        data: {
          id: newId('User'),
          tenantId: tenant.id,
          email: normalEmail(input.email),
          passwordHash,
          role: 'owner',
        },
      });
      const tokens = await openSession(ctx, tx, user);
      await audit(ctx, tx, {
        action: 'authRegister',
        subject: 'Tenant',
        subjectId: tenant.id,
        after: { name: tenant.name, owner: user.id },
        actor: { kind: 'user', id: user.id, tenantId: tenant.id },
      });
      return { tenant, project, account, user, ...tokens };
    });
  } catch (error) {
    if (isDuplicate(error)) fail('email_taken', { param: 'email' });
    throw error;
  }
}

/** What a member shows to log in. */
export interface LoginInput {
  readonly email: string;
  readonly password: string;
  /** A code of the second factor, or a recovery code; needed where the member has one. */
  readonly code?: string | null;
}

/**
 * Opens a login by e-mail, password and, where the member has one, the second factor.
 * @throws invalid_login, login_throttled, overloaded, tenant_suspended, second_factor_required,
 * invalid_second_factor, second_factor_locked
 */
export async function logIn(ctx: Ctx, { email, password, code }: LoginInput): Promise<LoggedIn> {
  const address = normalEmail(email);
  await takeLoginTry(ctx, address);
  const known = await everyTenant(ctx.services.prisma).user.findFirst({
    where: { email: address, status: 'active' },
    include: { tenant: true },
  });
  if (!(await passwordFits(ctx, known?.passwordHash, password)) || !known) {
    return fail('invalid_login');
  }
  if (known.tenant.status !== 'active') fail('tenant_suspended');
  const opened = await transactAcrossTenants(ctx.services, async (tx) => {
    await lockMember(tx, known);
    const now = await tx.user.findUnique({ where: { id: known.id } });
    // Somebody may have changed the password or removed the member while it was compared.
    const isSame = now?.status === 'active' && now.passwordHash === known.passwordHash;
    if (!isSame) return new GatewayError('invalid_login');
    // A wrong code is counted by what this transaction writes, so it commits.
    const refusal = await refusedCode(ctx, tx, known, code);
    return refusal ?? { user: known, ...(await openSession(ctx, tx, known)) };
  });
  if (opened instanceof GatewayError) throw opened;
  clearLoginFailures(ctx, address);
  return opened;
}

/** True when the database refused a row because a unique value is taken. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002';
}
