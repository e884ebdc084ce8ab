import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits, length, range, wellFormed } from '../../kernel/errors/faults.js';
import { formatRub, type MicroRub } from '../../kernel/money.js';
import { audit } from '../../records/audit-trail.js';
import { databaseNow } from '../../records/clock.js';
import { inTransaction } from '../../records/scope.js';
import type { Terms } from './tables.js';
import { DEFAULT_TERMS, type SlaClass, TERMS_BOUNDS } from './vocabulary.js';

/** New terms, as an operator states them; what is left out stays as it is in force. */
export interface TermsOrder {
  readonly tenantId: string;
  readonly plan?: string | null;
  readonly slaClass?: SlaClass | null;
  readonly commitMicro?: MicroRub | null;
  /** Default: now. Terms never begin in the past. */
  readonly effectiveFrom?: Date | null;
  readonly reason: string;
}

/** The terms in force, by the database's clock; the defaults where none were ever written. */
export async function termsInForce(tx: Transaction, tenantId: string): Promise<Terms> {
  const effectiveFrom = await databaseNow(tx);
  const found = await tx.commercialTerms.findFirst({
    where: { tenantId, effectiveFrom: { lte: effectiveFrom } },
    orderBy: [{ effectiveFrom: 'desc' }, { seq: 'desc' }],
  });
  return found ?? { ...DEFAULT_TERMS, effectiveFrom };
}

/** Writes the first terms of a new organization. */
export async function openTerms(tx: Transaction, tenantId: string): Promise<void> {
  const effectiveFrom = await databaseNow(tx);
  await tx.commercialTerms.create({ data: { tenantId, ...DEFAULT_TERMS, effectiveFrom } });
}

/**
 * Writes terms of an organization, from now or from a later moment on. Recorded in the trail of
 * that organization, in the same transaction.
 * @throws platform_admin_required, invalid_request with every fault, not_found
 */
export async function setTerms(ctx: AuthorizedCtx, order: TermsOrder): Promise<Terms> {
  if (!ctx.who.platformAdmin) fail('platform_admin_required');
  failOnFaults(termsFaults(order));
  const { tenantId } = order;
  const scope = { services: ctx.services, who: { tenantId } };
  return inTransaction(scope, {}, async (tx) => {
    const tenant = await tx.tenant.findFirst({ where: { id: tenantId } });
    if (!tenant) {
      const values = { subject: 'organization', id: tenantId };
      return fail('not_found', { values, param: 'tenantId' });
    }
    const now = await databaseNow(tx);
    const before = await termsInForce(tx, tenantId);
    const effectiveFrom = order.effectiveFrom ?? now;
    failOnFaults(beginFaults(effectiveFrom, now));
    const after = await tx.commercialTerms.create({
      data: {
        tenantId,
        plan: order.plan ?? before.plan,
        slaClass: order.slaClass ?? before.slaClass,
        commitMicro: order.commitMicro ?? before.commitMicro,
        effectiveFrom,
        setBy: ctx.who.id,
        reason: order.reason.trim(),
      },
    });
    await audit(ctx, tx, {
      action: 'commercialTermsSet',
      subject: 'CommercialTerms',
      subjectId: tenantId,
      before: shown(before),
      after: shown(after),
      actor: { kind: 'user', id: ctx.who.id, tenantId },
    });
    return after;
  });
}

function shown({ plan, slaClass, commitMicro, effectiveFrom, reason }: Terms) {
  const commit_rub = formatRub(commitMicro);
  const effective_from = effectiveFrom.toISOString();
  return { plan, sla_class: slaClass, commit_rub, effective_from, reason };
}

const PLAN = /^[a-z0-9][a-z0-9_-]*$/;

function termsFaults({ plan, commitMicro, reason }: TermsOrder): Fault[] {
  const { planChars, reasonChars, commitMicroMax: max } = TERMS_BOUNDS;
  const isPlan = plan == null || PLAN.test(plan);
  return [
    ...length('plan', plan, { min: 1, max: planChars }),
    ...fits('plan', isPlan, 'must be lower-case letters, digits, - and _'),
    ...range('commitRub', commitMicro, { min: 0n, max }, formatRub),
    ...length('reason', reason, { min: 1, max: reasonChars }),
    ...wellFormed('reason', reason),
  ];
}

function beginFaults(effectiveFrom: Date, now: Date): Fault[] {
  const last = now.getTime() + TERMS_BOUNDS.aheadMs;
  const isSoon = effectiveFrom >= now && effectiveFrom.getTime() <= last;
  const what = 'must be now or later, by at most five years';
  return isSoon ? [] : [fault('effectiveFrom', 'out_of_range', what)];
}
