import { createHash } from 'node:crypto';
import { newId } from '../../src/kernel/ids.js';
import { everyTenant } from '../../src/platform/database/tenant.js';
import { typeOfReceipt } from '../../src/records/receipt.js';
import { seal } from '../../src/records/receipts.js';
import { chat, invite, newPolicy } from '../journeys/people.js';
import { type Customer, graphql, newCustomer, type TestApp } from './app.js';
import { belongingsOfModules } from './modules.js';

/** A customer with one thing of every type, by the name of the type. */
export interface Belongings extends Customer {
  readonly ids: Readonly<Record<string, string>>;
}

/** Makes a customer that has something of everything. */
export async function newBelongings(app: TestApp): Promise<Belongings> {
  const customer = await newCustomer(app, 500);
  const { token } = customer;
  const invited = await invite(app, token, 'viewer');
  const policy = await newPolicy(app, token, { name: 'a policy', budgets: { daily_rub: 100 } });
  const answered = await chat(app, customer.key);
  const { data } = await graphql<{
    policies: { nodes: { versions: { nodes: { id: string }[] } }[] };
    auditEvents: { nodes: { id: string }[] };
  }>(
    app,
    '{ policies { nodes { versions { nodes { id } } } } auditEvents(first: 1) { nodes { id } } }',
    {},
    token,
  );
  return {
    ...customer,
    ids: {
      ...(await belongingsOfModules(app, customer)),
      ...(await receiptsOf(app, customer)),
      Tenant: customer.tenantId,
      Project: customer.projectId,
      User: customer.userId,
      Account: customer.accountId,
      ApiKey: customer.keyId,
      Invite: invited.id,
      Policy: policy.id,
      PolicyVersion: data.policies.nodes[0]?.versions.nodes[0]?.id ?? '',
      AuditEvent: data.auditEvents.nodes[0]?.id ?? '',
      Approval: await newApproval(app, customer),
      OtherReceipt: await newReceipt(app, customer),
      UsageEvent: answered.body.gw_routing.request_id,
      Request: answered.body.gw_routing.request_id,
    },
  };
}

/** Kinds of receipts that only longer ways end in; what they say does not matter here. */
const LATER_KINDS = ['integration_rollback', 'migration_cutover', 'prompt_gate', 'tool_call'];

/** One sealed receipt of each kind. */
async function receiptsOf({ owner, server }: TestApp, { tenantId }: Customer) {
  const scope = { services: server.services, who: { tenantId } };
  for (const kind of LATER_KINDS) await seal(scope, kind, `a key of ${kind}`, {});
  const rows = await owner.prisma.sealedReceipt.findMany({ where: { tenantId } });
  return Object.fromEntries(rows.map((row) => [typeOfReceipt({ row }), row.id]));
}

async function newApproval(app: TestApp, { tenantId, userId }: Customer): Promise<string> {
  const shown = { asked: 'something' };
  const { id } = await everyTenant(app.server.services.prisma).approval.create({
    data: {
      id: newId('Approval'),
      tenantId,
      kind: 'test',
      subjectId: 'something',
      summary: 'Do something.',
      shown,
      shownHash: new Uint8Array(createHash('sha256').update(JSON.stringify(shown)).digest()),
      requestedBy: userId,
      accountableId: userId,
      expiresAt: new Date(Date.now() + 3_600_000),
    },
  });
  return id;
}

async function newReceipt({ server }: TestApp, { tenantId }: Customer): Promise<string> {
  const scope = { services: server.services, who: { tenantId } };
  const { receipt } = await seal(scope, 'test', 'a key', { said: 'something' });
  return receipt.id;
}

/** An id of the same kind that nothing has. */
export function unknownLike(id: string): string {
  return id.slice(0, -1) + (id.endsWith('0') ? '1' : '0');
}
