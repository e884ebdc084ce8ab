import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { takesBody } from '../../../rest-compat/compile-row.js';
import { exampleRequest } from '../../../rest-compat/example.js';
import { publishedPath } from '../../../rest-compat/rest-directive.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { loadRestTable } from '../../../src/app/rest.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';

interface Description {
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Responses }>>>
  >;
}
type Responses = Readonly<Record<string, { readonly description?: string }>>;

interface Refusal {
  readonly error?: { readonly code: string };
}

let app: TestApp;
let customer: Customer;
let description: Description;
const rows = (await loadRestTable()).rows.filter(({ condition }) => !condition);
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  description = (await rest<Description>(app, 'GET', '/openapi.json')).body;
});
afterAll(() => app?.stop());

/** Whether the operation of a row names the code under the status. */
function isNamed({ contract }: CompiledRow, status: number, code: string): boolean {
  const operation =
    description.paths[publishedPath(contract.path)]?.[contract.method.toLowerCase()];
  return operation?.responses[status]?.description?.includes(`\`${code}\``) ?? false;
}

/** The refusals that the operations do not name, of one request for each row that is asked. */
async function unnamed(
  asked: readonly CompiledRow[],
  options: (row: CompiledRow) => Parameters<typeof rest>[3],
): Promise<readonly string[]> {
  const missing: string[] = [];
  for (const row of asked) {
    const { method, path } = row.contract;
    const values = exampleRequest(row).path;
    const filled = path.replace(/\{\+?(\w+)\}/g, (_, name: string) => values[name] ?? '');
    const { status, body } = await rest<Refusal>(app, method, filled, options(row));
    const { code = 'none' } = body.error ?? {};
    if (status >= 400 && !isNamed(row, status, code))
      missing.push(`${row.name}: ${status} ${code}`);
  }
  return missing;
}

describe('what refuses a request is named by its operation', () => {
  it('without a credential', async () => {
    expect(await unnamed(rows, () => ({}))).toEqual([]);
  });

  it('with a key that is none', async () => {
    const asked = rows.filter(({ contract }) => contract.auth === 'B');
    expect(await unnamed(asked, () => ({ credential: 'gw_sk_nothing' }))).toEqual([]);
  });

  it('where the object of the path, or what the body names, is not there', async () => {
    const missing = await unnamed(rows, (row) => ({
      credential: row.contract.auth === 'B' ? customer.token : undefined,
      body: exampleRequest(row).body,
    }));
    expect(missing).toEqual([]);
  });

  it('with a body that is of no use', async () => {
    const asked = rows.filter(({ contract }) => takesBody(contract));
    const missing = await unnamed(asked, () => ({ credential: customer.token, body: [null] }));
    expect(missing).toEqual([]);
  });

  it('with another body under a key that was used', async () => {
    const asked = rows.filter(({ contract: { auth, method } }) => auth === 'B' && method !== 'GET');
    const headers = { 'idempotency-key': 'the same for all of them' };
    const missing = await unnamed(asked, (row) => ({
      credential: customer.token,
      headers,
      body: takesBody(row.contract) ? exampleRequest(row).body : undefined,
    }));
    expect(missing).toEqual([]);
  });
});
