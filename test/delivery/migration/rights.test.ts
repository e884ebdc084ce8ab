import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/kernel/ids.js';
import { type ErrorBody, newKey, newMember, outcome } from '../../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { belongingsOf, callsOf } from './samples.js';
import { newMigration, PROJECTS, read, step } from './steps.js';

let app: TestApp;
let owner: Customer;
let other: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
  other = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

describe('rights and tenants', () => {
  it('a migration of another organization does not exist', async () => {
    const { ProviderMigration: id = '' } = await belongingsOf(app, other);
    const missing = newId('ProviderMigration');
    const calls: [string, string, object | undefined][] = [
      ['GET', '', undefined],
      ['GET', '/receipt', undefined],
      ['POST', '/compatibility-scan', { used_capabilities: ['chat'] }],
      ['POST', '/compare', { source_cost_per_1m_rub: 1 }],
      ['POST', '/cutover', {}],
      ['POST', '/rollback', {}],
    ];
    for (const [method, path, body] of calls) {
      const ask = async (which: string) => {
        const answer = await rest<ErrorBody>(app, method, `${PROJECTS}/${which}${path}`, {
          credential: owner.token,
          body,
        });
        return `${outcome(answer)} ${answer.body.error.message.replace(which, 'ID')}`;
      };
      expect(await ask(id)).toBe('404 not_found No provider migration with id ID.');
      expect(await ask(missing)).toBe(await ask(id));
    }
    expect((await read(app, other.token, id)).status).toBe('compared');
  });

  it('viewers read and change nothing; agent keys do neither', async () => {
    const { id } = await newMigration(app, owner.token);
    const viewer = await newMember(app, owner.token, 'viewer');
    const agent = await newKey(app, owner.token, 'agent');
    expect((await read(app, viewer.token, id)).id).toBe(id);
    const refused = await step(app, viewer.token, { id, path: 'rollback' });
    expect(outcome(refused)).toBe('403 permission_denied');
    const unread = await rest(app, 'GET', `${PROJECTS}/${id}`, { credential: agent.key });
    expect(outcome(unread)).toBe('403 permission_denied');
  });

  it('every mutation leaves exactly one audit event of the member', async () => {
    for (const [name, call] of Object.entries(callsOf(app))) {
      const customer = await newCustomer(app);
      await call(customer);
      const { data } = await graphql<{ auditEvents: { nodes: unknown[] } }>(
        app,
        `query($action: String) { auditEvents(first: 9, filter: { action: { eq: $action } }) {
          nodes { actorKind actorId subject beforeHash afterHash }
        } }`,
        { action: name },
        customer.token,
      );
      expect(data.auditEvents.nodes).toEqual([
        {
          actorKind: 'user',
          actorId: customer.userId,
          subject: 'ProviderMigration',
          beforeHash: name === 'providerMigrationCreate' ? null : expect.any(String),
          afterHash: expect.any(String),
        },
      ]);
    }
  });
});
