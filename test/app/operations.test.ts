import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { graphql, newCustomer, rest, startApp, type TestApp } from '../support/app.js';
import { namingFaults } from '../support/metric-names.js';

const PACKAGE: { version: string } = JSON.parse(
  readFileSync(join(projectRoot(), 'package.json'), 'utf8'),
);

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ GW_OPERATOR_TOKEN: 'an operator token for tests' });
});
afterAll(() => app.stop());

describe('the operator', () => {
  it('sees that the process lives and is ready', async () => {
    expect((await rest(app, 'GET', '/livez')).body).toEqual({ status: 'alive' });
    expect(await rest(app, 'GET', '/readyz')).toMatchObject({
      status: 200,
      body: { status: 'ready', reasons: [], books: { state: 'pending', checked_at: null } },
    });
  });

  it('sees what runs: the version, and the hash of the schema as it is published', async () => {
    const sdl = (await rest<string>(app, 'GET', '/schema.graphql')).body;
    const { headers: _headers, ...answer } = await rest(app, 'GET', '/version');
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      version: PACKAGE.version,
      // Known to builds alone; tests run from the sources.
      commit: null,
      schema_sha256: createHash('sha256').update(sdl).digest('hex'),
      node: process.version,
    });
  });

  it('alone reads the metrics, which count operations and never name a customer', async () => {
    const customer = await newCustomer(app, 10);
    const words = 'The metrics are read with GW_OPERATOR_TOKEN as bearer token alone:';
    const refusalOf = async (credential?: string) => {
      const { status, body } = await rest(app, 'GET', '/metrics', credential ? { credential } : {});
      return [status, body];
    };
    const refused = (code: string, sent: string) => [
      401,
      {
        error: {
          message: `${words} ${sent}.`,
          type: 'authentication_error',
          param: null,
          code,
          doc_url: `${app.url}/docs/errors/${code}`,
        },
      },
    ];
    expect(await refusalOf()).toEqual(refused('missing_credential', 'none was sent'));
    const other = refused('unusable_credential', 'something else was sent');
    expect(await refusalOf(customer.key)).toEqual(other);
    const metrics = await rest<string>(app, 'GET', '/metrics', {
      credential: 'an operator token for tests',
    });
    expect(metrics.status).toBe(200);
    expect(metrics.body).toContain(
      'gw_http_requests_total{operation="RegisterTenant",status="200"} 1',
    );
    const counted = 'gw_http_requests_total{operation="graphql';
    const ask = (query: string) => graphql(app, query, {}, customer.key);
    await ask('query МАРКЕР { alias: me { user { id } } }').catch(() => undefined);
    await ask('query Own { mine: apiKeys(first: 1) { nodes { id } } }');
    await ask('query Own { ...F } fragment F on Query { a: apiKeys(first: 1) { nodes { id } } }');
    await ask('{ __typename invites(first: 1) { nodes { id } } }');
    await graphql(app, '{ apiKeys(first: 1) { nodes { id } } }');
    await ask('{ nothingOfTheKind }');
    const after = await rest<string>(app, 'GET', '/metrics', {
      credential: 'an operator token for tests',
    });
    const lines = after.body.split('\n').filter((line) => line.startsWith(counted));
    expect(lines.sort()).toEqual([
      `${counted} apiKeys",status="200"} 2`,
      `${counted} apiKeys",status="401"} 1`,
      `${counted} none",status="400"} 2`,
      `${counted} several",status="200"} 1`,
    ]);
    expect(metrics.body).toContain('gw_ledger_healthy 1');
    expect(metrics.body).toMatch(/^# TYPE gw_ledger_operations_total counter$/m);
    expect(metrics.body).not.toContain(customer.tenantId);
    expect(namingFaults(metrics.body)).toEqual([]);
  });

  it('sees how the books stand: when they were last checked, and what is wrong', async () => {
    const { services } = app.server;
    const query = '{ booksStatus { state checkedAt violations findings { invariant subject } } }';
    const { token, userId, tenantId } = await newCustomer(app, 10);
    (services.config.platformAdmins as Set<string>).add(userId);
    const refused = await graphql(app, query, {}, (await newCustomer(app)).token);
    expect(refused.errors?.[0]?.extensions.code).toBe('platform_admin_required');
    await services.booksMonitor.check();
    const { body } = await rest<{ books: { checked_at: string } }>(app, 'GET', '/readyz');
    const { checked_at: checkedAt } = body.books;
    expect(body).toEqual({
      status: 'ready',
      reasons: [],
      books: { state: 'verified', checked_at: expect.stringMatching(/^\d{4}-/) },
    });
    const right = { state: 'verified', checkedAt, violations: 0, findings: [] };
    expect((await graphql(app, query, {}, token)).data).toEqual({ booksStatus: right });
    const change = 'UPDATE account SET posted_micro = posted_micro + $2 WHERE tenant_id = $1';
    await app.owner.pool.query(change, [tenantId, 1]);
    await services.booksMonitor.check();
    const { data } = await graphql<{ booksStatus: object }>(app, query, {}, token);
    expect(data.booksStatus).toMatchObject({
      state: 'violated',
      violations: 1,
      findings: [{ invariant: 'I1_posted_is_sum' }],
    });
    await app.owner.pool.query(change, [tenantId, -1]);
  });

  it('publishes the public keys of access tokens, to be kept for five minutes', async () => {
    const published = await rest<{ keys: object[] }>(app, 'GET', '/.well-known/jwks.json');
    const { body, headers } = published;
    expect(headers.get('cache-control')).toBe('public, max-age=300');
    expect(body.keys).toHaveLength(1);
    expect(Object.keys(body.keys[0] ?? {}).sort()).toEqual(
      ['alg', 'crv', 'kid', 'kty', 'use', 'x'].sort(),
    );
  });
});
