import { newPolicy } from '../../journeys/people.js';
import { type Customer, graphql, type TestApp } from '../../support/app.js';

const REQUEST = `mutation($policyId: ID!) {
  budgetExceptionRequest(
    policyId: $policyId, period: day, amountRub: "10", reason: "A release"
  ) { id approvalId }
}`;

interface Requested {
  readonly budgetExceptionRequest: { readonly id: string; readonly approvalId: string };
}

async function request(app: Pick<TestApp, 'url'>, { token }: Customer) {
  const { id: policyId } = await newPolicy(app, token, { budgets: { daily_rub: 1 } });
  return (await graphql<Requested>(app, REQUEST, { policyId }, token)).data.budgetExceptionRequest;
}

/** One successful call of each mutation of the module, by the member. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { budgetExceptionRequest: (customer) => request(app, customer) };
}

/** One of each thing of the module, and the approval that waits for it: ids by type. */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  const { id, approvalId } = await request(app, customer);
  return { BudgetException: id, Approval: approvalId };
}
