import { type Customer, graphql, type TestApp } from '../../support/app.js';

const RECORD = `mutation {
  valueEventRecord(input: { eventType: ticket_deflected, valueRub: "1.50" }) { id } }`;

const record = (app: TestApp, { token }: Customer) =>
  graphql<{ valueEventRecord: { id: string } }>(app, RECORD, {}, token);

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { valueEventRecord: (customer) => record(app, customer) };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { data } = await record(app, customer);
  return { ValueEvent: data.valueEventRecord.id };
}
