import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const ROUTING = '/v1/gw/routing';

const CALLS = {
  routePolicyPublish: 'input: { policyKey: "sample", objective: LOWEST_COST }',
  modelScorecardPublish: `input: { useCase: "sample", model: "sandbox/gw-mini", source: DECLARED,
    qualityBasisPoints: 7000 }`,
  routeDecide: 'input: { requestId: "sample", inputTokens: 100 }',
};

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const entries = Object.entries(CALLS).map(([name, args]) => [
    name,
    ({ token }: Customer) => graphql(app, `mutation { ${name}(${args}) { id } }`, {}, token),
  ]);
  return Object.fromEntries(entries);
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  { token: credential }: Customer,
): Promise<Record<string, string>> {
  const make = async (path: string, body: object) =>
    (await rest<{ id: string }>(app, 'POST', ROUTING + path, { credential, body })).body.id;
  const scorecard = { model: 'sandbox/gw-mini', source: 'DECLARED', quality_basis_points: 7_000 };
  return {
    RoutePolicy: await make('/policies', { policy_key: 'own', objective: 'LOWEST_COST' }),
    ModelScorecard: await make('/model-scorecards', { use_case: 'own', ...scorecard }),
    RoutingReceipt: await make('/decide', { request_id: 'own', input_tokens: 10 }),
  };
}
