import type { Fault } from '../kernel/errors/fail.js';
import { fault } from '../kernel/errors/faults.js';
import { moscowDay } from '../kernel/time.js';
import type { Window } from '../kernel/window.rules.js';
import { databaseOf, type TenantScope } from './scope.js';

/** When the organization registered: before that nothing of it can be sealed. */
export async function organizationBegin(scope: TenantScope): Promise<Date> {
  const { createdAt } = await databaseOf(scope).tenant.findUniqueOrThrow({
    where: { id: scope.who.tenantId },
    select: { createdAt: true },
  });
  return createdAt;
}

/** A period that was over before there was anything to seal in it, told by the argument. */
export function beforeBegin(path: string, { to }: Window, begin: Date): Fault[] {
  if (to > begin) return [];
  const day = moscowDay(begin.getTime());
  const what = `is over before the organization has anything in it; its first day is ${day}`;
  return [fault(path, 'out_of_range', what)];
}
