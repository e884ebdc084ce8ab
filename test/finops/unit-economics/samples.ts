import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';
import { existedSince } from '../../support/owner.js';

/** Where the group lies. */
export const ECONOMICS = '/v1/gw/unit-economics';

let costs = 0;

/** The id of an event that nobody has recorded. */
export function freshEvent(): string {
  costs += 1;
  return `cost-${process.pid}-${costs}`;
}

const RECORD = `mutation ($id: String!) {
  costEventRecord(input: { eventId: $id, kind: human, netRub: "350.00" }) { id } }`;
const SEAL = 'mutation { finopsReceiptSeal(input: { period: "2026-01" }) { id } }';

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    costEventRecord: ({ token }) => graphql(app, RECORD, { id: freshEvent() }, token),
    finopsReceiptSeal: async ({ token, tenantId }) => {
      await existedSince(app, tenantId);
      return graphql(app, SEAL, {}, token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  { token: credential, tenantId }: Customer,
): Promise<Record<string, string>> {
  await existedSince(app, tenantId);
  const make = async (path: string, body: object) => {
    const answer = await rest<{ id: string }>(app, 'POST', ECONOMICS + path, { credential, body });
    return answer.body.id;
  };
  return {
    CostEvent: await make('/cost-events', { event_id: freshEvent(), kind: 'human', net_rub: 1 }),
    FinopsReceipt: await make('/finops-receipt', { period: '2026-02' }),
  };
}
