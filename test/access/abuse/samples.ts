import { type Answer, type Customer, graphql, rest, type TestApp } from '../../support/app.js';

/** A token as it is issued over REST. */
export interface Issued {
  readonly id: string;
  readonly token: string;
  readonly details: Readonly<Record<string, unknown>>;
}

/** Issues a token; of the scope `frontend` unless stated. */
export function issue(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>> = {},
): Promise<Answer<Issued>> {
  return rest<Issued>(app, 'POST', '/v1/gw/abuse/ephemeral-tokens', { credential, body });
}

/** An incident as it is recorded over REST. */
export interface Recorded {
  readonly id: string;
  readonly next_action: string;
  readonly new_key: string | null;
  readonly incident: {
    readonly actions: readonly { readonly id: string; readonly [name: string]: unknown }[];
    readonly [name: string]: unknown;
  };
}

/** Records an incident. */
export function report(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>>,
): Promise<Answer<Recorded>> {
  return rest<Recorded>(app, 'POST', '/v1/gw/abuse/incidents', { credential, body });
}

/** A key of the customer, made for a test. */
export async function newKey(
  app: Pick<TestApp, 'url'>,
  { token }: Pick<Customer, 'token'>,
  keyType = 'standard',
): Promise<{ readonly id: string; readonly key: string }> {
  const body = { keyType, name: 'sample' };
  const made = await rest<{ id: string; key: string }>(app, 'POST', '/api-keys', {
    credential: token,
    body,
  });
  return { id: made.body.id, key: made.body.key };
}

const throttled = async (app: TestApp, customer: Customer) => {
  const { id } = await newKey(app, customer);
  const body = { type: 'bot_traffic', key_ref: id, actions_taken: ['throttle'] };
  return (await report(app, customer.token, body)).body;
};

/** One successful call of each mutation of the module, by its name. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const call = (query: string, variables: Record<string, unknown>, { token }: Customer) =>
    graphql(app, query, variables, token);
  return {
    ephemeralTokenIssue: (customer) =>
      call('mutation { ephemeralTokenIssue(input: {}) { tokenId } }', {}, customer),
    ephemeralTokenRevoke: async (customer) => {
      const { body } = await issue(app, customer.token);
      const query = 'mutation($id: ID!) { ephemeralTokenRevoke(id: $id) { id } }';
      return call(query, { id: body.id }, customer);
    },
    ephemeralTokenValidate: async (customer) => {
      const { body } = await issue(app, customer.token);
      const query =
        'mutation($token: String!) { ephemeralTokenValidate(input: { token: $token }) { valid } }';
      return call(query, { token: body.token }, customer);
    },
    keyRiskScan: (customer) => {
      const query = 'mutation($id: ID!) { keyRiskScan(input: { keyRef: $id }) { verdict } }';
      return call(query, { id: customer.keyId }, customer);
    },
    abuseIncidentRecord: (customer) =>
      call('mutation { abuseIncidentRecord(input: { type: other }) { incidentId } }', {}, customer),
    keyActionUndo: async (customer) => {
      const { incident } = await throttled(app, customer);
      const query = 'mutation($id: ID!) { keyActionUndo(id: $id) { id } }';
      return call(query, { id: incident.actions[0]?.id }, customer);
    },
  };
}

/** One of each thing of the module: its id by the name of its type. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const issued = await issue(app, customer.token);
  const { id, incident } = await throttled(app, customer);
  const path = `/v1/gw/abuse/incidents/${id}/receipt`;
  const receipt = await rest<{ id: string }>(app, 'GET', path, { credential: customer.token });
  return {
    EphemeralToken: issued.body.id,
    AbuseIncident: id,
    KeyAction: incident.actions[0]?.id ?? '',
    AbuseIncidentReceipt: receipt.body.id,
  };
}
