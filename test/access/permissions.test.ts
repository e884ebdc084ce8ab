import { parse, subscribe } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../rest-compat/example.js';
import type { CompiledRow } from '../../rest-compat/row.js';
import { loadRestTable } from '../../src/app/rest.js';
import { openSchema } from '../../src/app/schema.js';
import type { Ctx } from '../../src/graph/ctx.js';
import {
  KEY_TYPES,
  PERMISSIONS,
  type Permission,
  permissionsOf,
  ROLES,
} from '../../src/graph/permissions.js';
import { newId } from '../../src/kernel/ids.js';
import { newKey, newMember, outcome } from '../journeys/people.js';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';
import {
  CHANGES_ITS_CALLER,
  documentOf,
  FIELD_OF_ROW,
  ROOT_FIELDS,
  type RootField,
} from '../support/root-fields.js';

const schema = await openSchema();

let app: TestApp;
let owner: Customer;
/** A credential of every role and every type of key. */
const credentials = new Map<string, string>();

beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
  for (const who of PRINCIPALS) credentials.set(who, await newCredential(owner, who));
});
afterAll(() => app.stop());

const PRINCIPALS = [...ROLES.codes, ...KEY_TYPES.codes];

/** A credential of a role or of a type of key. */
async function newCredential({ token }: Customer, who: string): Promise<string> {
  const role = ROLES.codes.find((code) => code === who);
  if (role) return (await newMember(app, token, role)).token;
  return (await newKey(app, token, who)).key;
}

/** A credential that may be spent: of an organization of its own where a field changes that. */
async function credentialFor({ name }: RootField, who: string): Promise<string | undefined> {
  return CHANGES_ITS_CALLER.has(name)
    ? newCredential(await newCustomer(app), who)
    : credentials.get(who);
}

/** Who is refused a permission, by the table. */
function refused(permission: Permission | undefined): string[] {
  return PRINCIPALS.filter((who) => permission && !permissionsOf(who).has(permission));
}

describe('the table of rights', () => {
  it('gives every permission to somebody and keeps deciding and inviting from keys', () => {
    for (const permission of Object.keys(PERMISSIONS) as Permission[]) {
      expect(refused(permission).length).toBeLessThan(PRINCIPALS.length);
    }
    for (const { code } of KEY_TYPES.rows) {
      expect([...permissionsOf(code)]).not.toContain('approvals.decide');
      expect([...permissionsOf(code)]).not.toContain('members.write');
    }
    expect(KEY_TYPES.rows.filter(({ code }) => permissionsOf(code).has('keys.write'))).toEqual([
      expect.objectContaining({ code: 'service' }),
    ]);
  });

  it('is what the schema shows of it, and what each caller is told', async () => {
    const rows = 'permissions { name description roles keyTypes }';
    const shown = await graphql(app, `{ accessTable { ${rows} grants { who permissions } } }`);
    expect(shown.data).toEqual({
      accessTable: {
        permissions: Object.entries(PERMISSIONS).map(([name, { description, roles, keys }]) => ({
          name,
          description,
          roles,
          keyTypes: keys,
        })),
        grants: PRINCIPALS.map((who) => ({ who, permissions: [...permissionsOf(who)] })),
      },
    });
    for (const [who, credential] of credentials) {
      const me = await rest(app, 'GET', '/me', { credential });
      expect(me.body).toMatchObject({ role: who, permissions: [...permissionsOf(who)] });
    }
  });
});

const WITH_PERMISSION = ROOT_FIELDS.filter(({ permission }) => permission !== undefined);
const ASKED = WITH_PERMISSION.filter(({ operation }) => operation !== 'subscription');
const FOLLOWED = WITH_PERMISSION.filter(({ operation }) => operation === 'subscription');

describe('GraphQL', () => {
  it.each(ASKED)(
    '$operation $name is refused to exactly whom the table does not name',
    async (root) => {
      const { query, variables } = documentOf(root);
      const found = await Promise.all(
        PRINCIPALS.map(async (who) => {
          const shown = await credentialFor(root, who);
          const { errors } = await graphql(app, query, variables, shown);
          const code = errors?.[0]?.extensions.code;
          expect(code).not.toBe('internal_error');
          expect(code).not.toBe('graphql_invalid');
          return code === 'permission_denied' ? [who] : [];
        }),
      );
      expect(found.flat()).toEqual(refused(root.permission));
    },
  );

  it.each(FOLLOWED)(
    'subscription $name is refused to exactly whom the table does not name',
    async (root) => {
      const found = await Promise.all(PRINCIPALS.map((who) => refusedFeed(root, who)));
      expect(found.flat()).toEqual(refused(root.permission));
    },
  );

  it('asks every caller without a credential for one', async () => {
    for (const root of ASKED) {
      const { query, variables } = documentOf(root);
      const { errors } = await graphql(app, query, variables);
      expect(errors?.[0]?.extensions.code).toBe('missing_credential');
    }
  });
});

async function refusedFeed(root: RootField, who: string): Promise<string[]> {
  const { query, variables } = documentOf(root);
  const ending = new AbortController();
  const contextValue: Ctx = {
    requestId: newId('Request'),
    startedMs: performance.now(),
    who: {
      kind: ROLES.has(who) ? 'user' : 'api_key',
      id: owner.userId,
      tenantId: owner.tenantId,
      projectId: owner.projectId,
      accountId: owner.accountId,
      role: who,
      permissions: permissionsOf(who),
      slaClass: 'standard',
      boundRole: 'owner',
      platformAdmin: false,
      makers: [],
    },
    services: app.server.services,
    transport: { kind: 'internal', address: '', baseUrl: '', headers: {} },
    signal: ending.signal,
  };
  const document = parse(query);
  const started = await subscribe({ schema, document, contextValue, variableValues: variables });
  ending.abort();
  if (Symbol.asyncIterator in started) {
    await started.return(undefined);
    return [];
  }
  const cause = started.errors?.[0]?.originalError as { code?: string } | undefined;
  return cause?.code === 'permission_denied' ? [who] : [];
}

const TABLE = await loadRestTable();
const B_ROWS = TABLE.rows.filter(({ contract }) => contract.auth === 'B');

describe('REST', () => {
  it.each(B_ROWS)('$name is refused to exactly whom the table does not name', async (row) => {
    const permission = FIELD_OF_ROW.get(row.name)?.permission;
    expect(permission).toBeDefined();
    const found: string[] = [];
    // One after another: a busy node refuses reports that one caller asks for side by side.
    for (const who of PRINCIPALS) {
      const answer = await callExample(row, credentials.get(who));
      expect(answer).not.toMatch(/^401|^5/);
      if (answer === '403 permission_denied') found.push(who);
    }
    expect(found).toEqual(refused(permission));
  });

  it('asks every caller without a credential for one', async () => {
    for (const row of B_ROWS) expect(await callExample(row)).toBe('401 missing_credential');
  });
});

async function callExample(row: CompiledRow, credential?: string): Promise<string> {
  const { path, query, body } = exampleRequest(row);
  const filled = row.contract.path.replace(/\{\+?(\w+)\}/g, (_, name) =>
    encodeURIComponent(path[name] ?? ''),
  );
  const condition = row.condition?.kind === 'query' ? [row.condition] : [];
  const search = new URLSearchParams({
    ...query,
    ...Object.fromEntries(condition.map(({ parameter, values }) => [parameter, values[0] ?? ''])),
  });
  const answer = await rest(app, row.contract.method, `${filled}?${search}`, { credential, body });
  return outcome(answer);
}
