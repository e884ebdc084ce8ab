import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

const PUBLISH = 'mutation { anomalyRulePublish(input: { type: cost_spike }) { id } }';
const RESUME = 'mutation($id: ID!) { spendResumeRequest(id: $id) { id } }';

/** A pause of a customer, as an anomaly makes it. */
async function plantPause({ owner }: Pick<TestApp, 'owner'>, { tenantId }: Customer) {
  const { newId } = await import('../../../src/kernel/ids.js');
  const [anomaly, pause] = [newId('Anomaly'), newId('SpendPause')];
  await owner.pool.query(
    `INSERT INTO anomaly (id, tenant_id, rule_key, type, scope_kind, scope_ref, metric, observed,
       expected, threshold, method, severity, action, window_start, window_end, request_ids)
     VALUES ($1, $2, 'planted', 'retry_loop', 'agent_session', $3, 'retries', 12, 0, 10,
       'threshold', 'medium', 'alert', now(), now(), '{}')`,
    [anomaly, tenantId, anomaly],
  );
  await owner.pool.query(
    `INSERT INTO spend_pause (id, tenant_id, anomaly_id, scope_kind, scope_ref, reason, status)
     VALUES ($1, $2, $3, 'agent_session', $4, 'planted', 'paused')`,
    [pause, tenantId, anomaly, anomaly],
  );
  return { anomaly, pause };
}

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    anomalyRulePublish: (customer) => graphql(app, PUBLISH, {}, customer.token),
    spendResumeRequest: async (customer) => {
      const { pause } = await plantPause(app, customer);
      return graphql(app, RESUME, { id: pause }, customer.token);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const rule = await rest<{ id: string }>(app, 'POST', '/v1/gw/finops/anomaly-rules', {
    credential: customer.token,
    body: { type: 'error_spike' },
  });
  const { anomaly, pause } = await plantPause(app, customer);
  return { AnomalyRule: rule.body.id, Anomaly: anomaly, SpendPause: pause };
}
