import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PUBLISH = `mutation { workloadContractPublish(input: { contractKey: "sample",
  exactCacheEnabled: false, exactCacheSeconds: 60 }) { id } }`;
const SEAL = `mutation { contextTransformSeal(input: {
  transformRef: "sample", transforms: [NORMALIZE_SPACE], tokens: 100 }) { id } }`;

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    workloadContractPublish: (customer) => graphql(app, PUBLISH, {}, customer.token),
    contextTransformSeal: (customer) => graphql(app, SEAL, {}, customer.token),
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const make = async (path: string, body: object) => {
    const { token: credential } = customer;
    const answer = await rest<{ id: string }>(app, 'POST', path, { credential, body });
    return answer.body.id;
  };
  const contract = {
    contract_key: 'own',
    exact_cache_enabled: false,
    exact_cache_seconds: 60,
  };
  const transform = { transform_ref: 'own', transforms: ['NORMALIZE_SPACE'], tokens: 10 };
  return {
    WorkloadContract: await make('/v1/gw/workloads/contracts', contract),
    ContextTransformReceipt: await make('/v1/gw/workloads/transform', transform),
  };
}
