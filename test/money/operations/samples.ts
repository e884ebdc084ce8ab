import type { Customer, TestApp } from '../../support/app.js';
import { appoint, operate } from './world.js';

/** What the module does is done by administrators of the platform, and tested beside its walks. */
export function callsOf(
  _app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {};
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { platformAdmins } = app.server.services.config;
  const wasListed = platformAdmins.has(customer.userId);
  appoint(app, customer.userId);
  const order = { tenant_id: customer.tenantId, amount_rub: 1, reason: 'A sample' };
  // The session was read before; its member is an administrator from the next login on.
  const { body } = await operate(app, 'credits', customer.token, order);
  if (!wasListed) (platformAdmins as Set<string>).delete(customer.userId);
  return { BalanceOperation: String(body.receipt_id) };
}
