import type { UsageRecord } from '../../../src/money/ledger/usage-record.js';
import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';
import { ECONOMICS } from './samples.js';

/** What the group answers. */
export type Body = Record<string, unknown> & {
  error: { code: string; param: string; faults?: readonly { path: string }[] };
};

/** Asks the group, as a customer or as nobody. */
export function ask(
  app: TestApp,
  method: string,
  path: string,
  body?: object,
  who?: Customer,
): Promise<Answer<Body>> {
  return rest<Body>(app, method, ECONOMICS + path, { body, credential: who?.key });
}

/** A charge in rubles of 122, so that its net is 100 for each. */
export const GROSS = 122_000_000n;

/** What of a usage row a cost depends on. */
export type Usage = Partial<UsageRecord>;
