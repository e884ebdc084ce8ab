import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

/** Where the group lies. */
export const ADAPTIVE = '/v1/gw/adaptive-routing';

let requests = 0;

/** The name of a request that nobody has decided about. */
export function freshRequest(): string {
  requests += 1;
  return `request-${process.pid}-${requests}`;
}

const DECIDE = `mutation ($id: String!) {
  adaptiveRouteDecide(input: { requestId: $id, inputTokens: 100 }) { id } }`;
const OUTCOME = `mutation ($id: String!) {
  routingOutcomeRecord(input: { requestId: $id, outcome: accepted }) { requestId } }`;
const PUBLISH = `mutation { routingContractPublish(input: {
  contractKey: "sample", mode: BALANCED }) { id } }`;
const SWITCH = `mutation { routerKillSwitchSet(input: {
  scopeKey: "*", state: ACTIVE }) { id } }`;

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const decide = (customer: Customer, id: string) => graphql(app, DECIDE, { id }, customer.token);
  return {
    adaptiveRouteDecide: (customer) => decide(customer, freshRequest()),
    routingOutcomeRecord: async (customer) => {
      const id = freshRequest();
      await decide(customer, id);
      return graphql(app, OUTCOME, { id }, customer.token);
    },
    routingContractPublish: (customer) => graphql(app, PUBLISH, {}, customer.token),
    routerKillSwitchSet: (customer) => graphql(app, SWITCH, {}, customer.token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const make = async (path: string, body: object) => {
    const { token: credential } = customer;
    const answer = await rest<{ id: string }>(app, 'POST', ADAPTIVE + path, { credential, body });
    return answer.body.id;
  };
  return {
    RoutingContract: await make('/contracts', { contract_key: 'own', mode: 'BALANCED' }),
    RouterKillSwitch: await make('/kill-switch', { state: 'ACTIVE' }),
    AdaptiveRoutingReceipt: await make('/decide', { request_id: freshRequest() }),
  };
}
