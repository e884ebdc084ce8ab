import { getNamedType, isInputObjectType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { exampleRequest } from '../../rest-compat/example.js';
import type { CompiledRow } from '../../rest-compat/row.js';
import { loadRestTable } from '../../src/app/rest.js';
import { openSchema } from '../../src/app/schema.js';
import { GatewayError } from '../../src/kernel/errors/fail.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

const table = await loadRestTable();
const withoutBody = table.rows.filter(({ contract }) => /^(GET|DELETE)$/.test(contract.method));
/** Paths of the wire of models, whose clients send parameters of other services. */
const FOREIGN = ['GetModel', 'ListModels'];

/** It counts by days of UTC, for administrators of the platform alone. */
const OF_THE_OPERATOR = '/v1/gw/analytics/dashboard';

function refusalOf(row: CompiledRow, query: Record<string, string | string[]>) {
  try {
    return row.bind({ ...exampleRequest(row), query }).ignored;
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    return (error.details.faults ?? []).map(({ path, message }) => `${path}: ${message}`);
  }
}

describe('a query parameter that nobody reads', () => {
  it('is a fault of every path without a body, but for those of the wire of models', () => {
    const lenient = withoutBody.filter((row) => {
      const refused = refusalOf(row, { ...exampleRequest(row).query, zzz_unknown: '1' });
      return !refused?.some((fault) => fault.startsWith('zzz_unknown: '));
    });
    expect(lenient.map(({ name }) => name).sort()).toEqual(FOREIGN);
    expect(withoutBody.length).toBeGreaterThan(100);
  });
});

describe('every bound of a period', () => {
  it('takes a day wherever it takes a time', async () => {
    const types = Object.values((await openSchema()).getTypeMap());
    const inputs = types.flatMap((type) => {
      if (isInputObjectType(type)) return Object.values(type.getFields());
      if (!isObjectType(type)) return [];
      return Object.values(type.getFields()).flatMap(({ args }) => args);
    });
    const bounds = inputs.filter(({ name }) => /^(from|to|since|until|gte|lt)$/.test(name));
    const wrong = bounds.filter(({ type }) => getNamedType(type).name === 'DateTime');
    expect(wrong).toEqual([]);
    expect(bounds.length).toBeGreaterThan(30);
  });
});

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app);
});
afterAll(() => app.stop());

interface Refused {
  readonly error: { readonly code: string; readonly faults: readonly { message: string }[] };
}

async function faultsOf(path: string): Promise<readonly string[]> {
  const { status, body } = await rest<Refused>(app, 'GET', path, { credential: owner.token });
  expect([status, body.error?.code]).toEqual([400, 'invalid_request']);
  return body.error.faults.map(({ message }) => message);
}

describe('a request with a wrong query', () => {
  it('is told every unknown parameter with the names that it may have meant', async () => {
    expect(await faultsOf('/v1/gw/cost/summary?form=2026-11-01&utm_source=mail')).toEqual([
      '`form` is not a query parameter of this operation. Did you mean `from` or `format`?',
      expect.stringMatching(
        /^`utm_source` is not a query parameter of this operation. It takes `from`,/,
      ),
    ]);
  });

  it('is told the forms that the answer has, and what it repeats', async () => {
    const formats = '`format` must be one of json, csv, csv_ru, ndjson, xlsx.';
    expect(await faultsOf('/usage?format=pdf')).toEqual([formats]);
    expect(await faultsOf('/usage?format=cvs')).toEqual([`${formats} Did you mean csv?`]);
    expect(await faultsOf('/usage?limit=1&limit=2&format=csv&format=json')).toEqual([
      '`format` stands more than once in the query; give it once.',
      '`limit` stands more than once in the query; give it once.',
    ]);
    expect(await faultsOf('/usage?request_id=1&requestId=2')).toContain(
      '`requestId` and `request_id` are one field; give it once.',
    );
  });

  it('is served where libraries of other services send their own parameters', async () => {
    const { status, headers } = await rest(app, 'GET', '/v1/models?vendor=x', {
      credential: owner.key,
    });
    expect([status, headers.get('x-gw-ignored-fields')]).toEqual([200, 'vendor']);
    expect((await rest(app, 'GET', '/usage?format=json', { credential: owner.key })).status).toBe(
      200,
    );
  });
});

describe('days as bounds', () => {
  it('are whole days of Moscow in every list and report, the last one included', async () => {
    const reads = withoutBody.filter(({ variables, contract: { method } }) => {
      return (
        method === 'GET' && ['from', 'to'].every((name) => variables.some((v) => v.name === name))
      );
    });
    const answers: string[] = [];
    for (const { contract, pathParameters, condition } of reads) {
      if (pathParameters.length > 0 || condition || contract.path === OF_THE_OPERATOR) continue;
      const path = `${contract.path}?from=2026-10-31&to=2026-11-01`;
      const { status, body } = await rest<{ from?: string; to?: string }>(app, 'GET', path, {
        credential: owner.token,
      });
      answers.push(`${status} ${contract.path}`);
      if (body.from === undefined || contract.path.endsWith('focus')) continue;
      expect([body.from, body.to]).toEqual([
        '2026-10-30T21:00:00.000Z',
        '2026-11-01T21:00:00.000Z',
      ]);
    }
    expect(answers.filter((answer) => !answer.startsWith('200'))).toEqual([]);
    expect(answers.length).toBeGreaterThan(15);
  });
});
