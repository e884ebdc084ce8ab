import { newId } from '../../../src/kernel/ids.js';
import { type Customer, graphql, type TestApp } from '../../support/app.js';

const ERASE = `mutation Erase($input: PersonalDataErasureInput!) {
  organizationPersonalDataErase(input: $input) {
    id keysErased answersDropped deliveriesDropped reason erasedBy
  }
}`;

/** What an erasure answers. */
export interface Erased {
  readonly id: string;
  readonly keysErased: number;
  readonly answersDropped: number;
  readonly deliveriesDropped: number;
  readonly reason: string;
  readonly erasedBy: string;
}

/** Erases the personal data of a customer, under the name of its organization unless another. */
export async function erase(
  app: Pick<TestApp, 'url'> & { readonly owner: Pick<TestApp['owner'], 'pool'> },
  { tenantId, token }: Pick<Customer, 'tenantId' | 'token'>,
  {
    organization,
    credential = token,
    reason = 'a person asked for it',
  }: { organization?: string; credential?: string; reason?: string } = {},
) {
  const { rows } = await app.owner.pool.query('SELECT name FROM tenant WHERE id = $1', [tenantId]);
  const input = { organization: organization ?? rows[0].name, reason };
  return graphql<{ organizationPersonalDataErase: Erased | null }>(
    app,
    ERASE,
    { input },
    credential,
  );
}

/** How the mutation is called so that it leaves one event of the audit trail. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return { organizationPersonalDataErase: (customer) => erase(app, customer) };
}

/** One of each thing of the module. @returns the ids by the names of the types */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  // An erasure would take other belongings with it; its receipt alone is wanted.
  const { ERASURE_RECEIPTS } = await import('../../../src/access/personal-data/records.js');
  const scope = { services: app.server.services, who: { tenantId: customer.tenantId } };
  const { id } = await ERASURE_RECEIPTS.seal(scope, newId('DataKey'), {
    erasedBy: customer.userId,
    erasedAt: new Date(),
    reason: 'a test',
    keysErased: 0,
    answersDropped: 0,
    deliveriesDropped: 0,
  });
  return { PersonalDataErasureReceipt: id };
}
