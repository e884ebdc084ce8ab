import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { ownManifest } from './own-manifest.js';

/** One successful call of each mutation of blueprints, by the name of its field. */
export function callsOf(
  app: Pick<TestApp, 'url'>,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const call = (field: string) => async (customer: Customer) => {
    const text = `mutation { ${field}(id: "support-ticket-triage") { id } }`;
    return (await graphql(app, text, {}, customer.token)).data;
  };
  const store = async (customer: Customer) => {
    const text = 'mutation($m: JSON!) { blueprintManifestStore(manifest: $m) { version } }';
    return (await graphql(app, text, { m: ownManifest('sample') }, customer.token)).data;
  };
  return {
    blueprintRun: call('blueprintRun'),
    blueprintDeploy: call('blueprintDeploy'),
    blueprintManifestStore: store,
  };
}

/** Makes one of each thing that blueprints leave, for a customer with funds. @returns their ids */
export async function belongingsOf(
  app: Pick<TestApp, 'url'>,
  customer: Customer,
): Promise<Record<string, string>> {
  const { data } = await graphql<{
    run: { id: string; receiptId: string; steps: { receiptId: string }[] };
    deployment: { id: string; receiptId: string };
  }>(
    app,
    `mutation {
      run: blueprintRun(id: "support-ticket-triage") { id receiptId steps { receiptId } }
      deployment: blueprintDeploy(id: "support-ticket-triage") { id receiptId }
    }`,
    {},
    customer.token,
  );
  return {
    BlueprintRun: data.run.id,
    BlueprintRunReceipt: data.run.receiptId,
    BlueprintStepReceipt: data.run.steps[0]?.receiptId ?? '',
    BlueprintDeployment: data.deployment.id,
    BlueprintDeploymentReceipt: data.deployment.receiptId,
  };
}
