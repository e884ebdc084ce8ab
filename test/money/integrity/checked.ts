import { expect } from 'vitest';
import { lastMonth, monthWindow } from '../../../src/money/integrity/period.rules.js';
import { type Customer, newCustomer, rest, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';

/** The last month that has ended. */
export const MONTH = lastMonth(new Date());
export const { from: BEGIN, to: END } = monthWindow(MONTH);

/** A live check. */
export type Check = 'completeness' | 'dual-meter' | 'replay';
/** Every live check. */
export const CHECKS: readonly Check[] = ['completeness', 'dual-meter', 'replay'];

/** The answer of a check. */
export interface Checked extends Record<string, unknown> {
  readonly verdict: string;
  readonly basis: string;
  readonly faulty: readonly { readonly request_id: string; readonly faults: readonly string[] }[];
}

/** Asks a check about a window, the last month by default. */
export async function checkOf(
  app: TestApp,
  customer: Customer,
  path: Check,
  window: { from?: Date; to?: Date; full?: boolean } = { from: BEGIN, to: END },
): Promise<Checked> {
  const query = new URLSearchParams();
  if (window.from) query.set('from', window.from.toISOString());
  if (window.to) query.set('to', window.to.toISOString());
  if (window.full) query.set('full', 'true');
  const { status, body } = await rest<Checked>(
    app,
    'GET',
    `/v1/gw/billing-integrity/${path}?${query}`,
    { credential: customer.key },
  );
  expect(status, JSON.stringify(body)).toBe(200);
  return body;
}

/** A customer whose organization was there in every month that is sealed. */
export async function oldCustomer(app: TestApp, fundsRub = 0): Promise<Customer> {
  const customer = await newCustomer(app, fundsRub);
  await existedSince(app, customer.tenantId);
  return customer;
}
