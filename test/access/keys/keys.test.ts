import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { newKey as generate } from '../../../src/access/keys/format.js';
import { chat, newKey, newMember, outcome } from '../../journeys/people.js';
import { openSocket } from '../../journeys/sockets.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app.stop());

const CREATE = `mutation($keyType: KeyType!, $projectId: ID) {
  apiKeyCreate(input: { keyType: $keyType, projectId: $projectId }) {
    id: apiKeyId key apiKey { id name keyType status prefix lastFour revokedAt }
  }
}`;

interface Created {
  readonly apiKeyCreate: { readonly id: string; readonly key: string; readonly apiKey: object };
}

function revoke(id: string, credential = owner.token) {
  return rest(app, 'DELETE', `/api-keys/${id}`, { credential });
}

describe('a new key', () => {
  it('is answered with its value and its facts, over REST and GraphQL', async () => {
    const { status, body } = await rest(app, 'POST', '/api-keys', {
      credential: owner.token,
      body: { keyType: 'service', name: ' production ' },
    });
    const key = String(body.key);
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        id: expect.any(String),
        key: expect.stringMatching(/^gw_sk_[0-9A-Za-z]{49}$/),
        details: {
          id: body.id,
          name: 'production',
          keyType: 'service',
          status: 'active',
          project_id: owner.projectId,
          workspace_id: null,
          prefix: key.slice(0, 10),
          last_four: key.slice(-4),
          created_at: expect.any(String),
          revoked_at: null,
          expires_at: null,
          allowed_models: null,
          budgets: { daily_rub: null, monthly_rub: null, total_rub: null },
          limits: { rpm: null, tpm: null },
          allowed_addresses: null,
          data_class_min: null,
          secrets: [
            {
              prefix: key.slice(0, 10),
              last_four: key.slice(-4),
              is_current: true,
              made_by: owner.userId,
              made_at: expect.any(String),
              ends_at: null,
              last_used_at: null,
            },
          ],
        },
      },
    });
    const { data } = await graphql<Created>(app, CREATE, { keyType: 'agent' }, owner.token);
    const created = data.apiKeyCreate;
    expect(created.apiKey).toEqual({
      id: created.id,
      name: 'agent',
      keyType: 'agent',
      status: 'active',
      prefix: created.key.slice(0, 10),
      lastFour: created.key.slice(-4),
      revokedAt: null,
    });
  });

  it('needs its type alone; its name is then the type', async () => {
    const { status, body } = await rest(app, 'POST', '/api-keys', {
      credential: owner.token,
      body: { keyType: 'standard' },
    });
    expect({ status, body }).toMatchObject({
      status: 200,
      body: { details: { name: 'standard', keyType: 'standard' } },
    });
  });

  it('is shown this once: neither lists nor the database hold its value', async () => {
    const { id, key } = await newKey(app, owner.token, 'standard');
    const listed = await rest<{ data: { id: string }[] }>(app, 'GET', '/api-keys', {
      credential: owner.token,
    });
    expect(listed.body.data[0]?.id).toBe(id);
    const { rows } = await app.owner.pool.query(
      "SELECT row_to_json(k)::text || encode(k.key_hash, 'escape') AS text FROM api_key k",
    );
    const secret = key.slice(10, -4);
    expect(JSON.stringify(listed.body).includes(secret)).toBe(false);
    expect(JSON.stringify(rows).includes(secret)).toBe(false);
  });

  it('works at once for what its type may do', async () => {
    const { key } = await newKey(app, owner.token, 'agent');
    expect(outcome(await chat(app, key))).toBe('200');
    expect(outcome(await rest(app, 'GET', '/api-keys', { credential: key }))).toBe(
      '403 permission_denied',
    );
    expect(outcome(await rest(app, 'GET', '/usage', { credential: key }))).toBe(
      '403 permission_denied',
    );
  });

  it('belongs to a project of the organization; a foreign one is an unknown one', async () => {
    const other = await newCustomer(app);
    const unknown = '01977c2a-5b1e-7002-8000-3f2b9c4d5e6f';
    const message = async (projectId: string) => {
      const { errors } = await graphql(app, CREATE, { keyType: 'agent', projectId }, owner.token);
      return errors?.[0]?.message.replace(projectId, '<id>');
    };
    expect(await message(other.projectId)).toBe('No project with id <id>.');
    expect(await message(unknown)).toBe('No project with id <id>.');
  });
});

describe('a key that is not one', () => {
  it('is refused by its checksum, without a look-up', async () => {
    const { key } = await newKey(app, owner.token, 'standard');
    const typo = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    const query = vi.spyOn(app.server.services.platformPool, 'query');
    try {
      const answer = await rest(app, 'GET', '/usage', { credential: typo });
      expect({ outcome: outcome(answer), statements: query.mock.calls.length }).toEqual({
        outcome: '401 invalid_api_key',
        statements: 0,
      });
      const unknown = await rest(app, 'GET', '/usage', { credential: generate() });
      expect({ outcome: outcome(unknown), statements: query.mock.calls.length }).toEqual({
        outcome: '401 invalid_api_key',
        statements: 1,
      });
    } finally {
      query.mockRestore();
    }
  });
});

describe('a revoked key', () => {
  it('is refused from the next request on, for chat and for management', async () => {
    const { id, key } = await newKey(app, owner.token, 'service');
    expect(outcome(await chat(app, key))).toBe('200');
    expect(outcome(await rest(app, 'GET', '/usage', { credential: key }))).toBe('200');
    const { status, body } = await revoke(id);
    expect([status, body.status, body.revoked_at]).toEqual([200, 'revoked', expect.any(String)]);
    expect(outcome(await chat(app, key))).toBe('401 api_key_revoked');
    const stream = await chat(app, key, 'Здравствуйте', { stream: true });
    expect(outcome(stream)).toBe('401 api_key_revoked');
    expect(outcome(await rest(app, 'GET', '/usage', { credential: key }))).toBe(
      '401 api_key_revoked',
    );
    const { errors } = await graphql(app, '{ balance { availableRub } }', {}, key);
    expect(errors?.[0]?.extensions.code).toBe('api_key_revoked');
  });

  it('has caused no charge and no usage by what was refused', async () => {
    const customer = await newCustomer(app, 500);
    await chat(app, customer.key);
    await revoke(customer.keyId, customer.token);
    await chat(app, customer.key);
    const { body } = await rest<{ data: unknown[] }>(app, 'GET', '/usage', {
      credential: customer.token,
    });
    expect(body.data).toHaveLength(1);
  });

  it('stays revoked when it is revoked again, and that is one audit event', async () => {
    const { id } = await newKey(app, owner.token, 'standard');
    const first = await revoke(id);
    const second = await revoke(id);
    expect(second).toMatchObject({ status: 200, body: first.body });
    const { data } = await graphql<{ auditEvents: { nodes: { action: string }[] } }>(
      app,
      `query($id: String!) {
        auditEvents(filter: { subjectId: { eq: $id } }) { nodes { action } }
      }`,
      { id },
      owner.token,
    );
    expect(data.auditEvents.nodes.map(({ action }) => action)).toEqual([
      'apiKeyRevoke',
      'apiKeyCreate',
    ]);
  });

  it('closes the sockets that live on it', async () => {
    const { id, key } = await newKey(app, owner.token, 'service');
    const socket = await openSocket(app, key);
    await revoke(id);
    expect(await socket.closed).toBe(4403);
  });
});

describe('the rights of a key', () => {
  it('are never more than those of the member who created it', async () => {
    const owner = await newCustomer(app);
    const developer = await newMember(app, owner.token, 'developer');
    const service = await newKey(app, developer.token, 'service');
    const further = await newKey(app, service.key, 'standard');
    for (const { key } of [service, further]) {
      const refused = await rest(app, 'POST', '/v1/gw/policies', {
        credential: key,
        body: { limits: { rpm: 1 } },
      });
      expect(outcome(refused)).toBe('403 permission_denied');
      expect((await rest(app, 'GET', '/v1/gw/policies', { credential: key })).status).toBe(200);
    }
    const full = await newKey(app, owner.token, 'service');
    const allowed = await rest(app, 'POST', '/v1/gw/policies', {
      credential: full.key,
      body: { limits: { rpm: 100 } },
    });
    expect(allowed.status).toBe(200);
  });
});
