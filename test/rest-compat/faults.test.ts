import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';

interface Told {
  readonly path: string;
  readonly message: string;
}

interface Refusal {
  readonly error: { readonly code: string; readonly faults?: readonly Told[] };
}

let app: TestApp;
let customer: Customer;
/** The paths of the rows, and the ids that the arguments of GraphQL need beside a body. */
const id: Record<'policy' | 'contextPolicy', string> = { policy: '', contextPolicy: '' };

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  const policy = await post<{ id: string }>('/v1/gw/policies', { name: 'production' });
  const context = await post<{ id: string }>('/v1/gw/context-policies', { name: 'wiki' });
  Object.assign(id, { policy: policy.body.id, contextPolicy: context.body.id });
});
afterAll(() => app?.stop());

function post<T>(path: string, body: unknown) {
  return rest<T>(app, 'POST', path, { credential: customer.token, body });
}

/** The faults that REST names, each as path and message. */
async function faultsOfRest(path: string, body: unknown): Promise<readonly Told[]> {
  const refused = await post<Refusal>(path, body);
  expect([refused.status, refused.body.error.code]).toEqual([400, 'invalid_request']);
  return refused.body.error.faults ?? [];
}

async function faultsOfGraphql(operation: string, variables: object): Promise<readonly Told[]> {
  const { errors } = await graphql(app, operation, { ...variables }, customer.token);
  expect(errors?.map(({ extensions }) => extensions.code)).toEqual(['invalid_request']);
  return (errors?.[0]?.extensions.faults ?? []) as readonly Told[];
}

/** A row with the mutation or query that it is, and a body that their resolver refuses. */
const REFUSED = [
  {
    row: 'budget-exceptions',
    path: () => `/v1/gw/policies/${id.policy}/budget-exceptions`,
    body: { period: 'month', amount_rub: 0, reason: ' ' },
    operation: `mutation($id: ID!, $amountRub: Rub!, $reason: String!) {
      budgetExceptionRequest(policyId: $id, period: month, amountRub: $amountRub, reason: $reason) {
        id
      }
    }`,
    variables: () => ({ id: id.policy, amountRub: '0', reason: ' ' }),
    named: { amount_rub: 'amountRub', reason: 'reason' },
  },
  {
    row: 'cockpit',
    path: () => '/v1/gw/migration/cockpit',
    body: { model: '', embeddings_model: 'x'.repeat(201) },
    operation: `mutation($model: String, $embeddingsModel: String) {
      migrationCheckRun(model: $model, embeddingsModel: $embeddingsModel) { id }
    }`,
    variables: () => ({ model: '', embeddingsModel: 'x'.repeat(201) }),
    named: { model: 'model', embeddings_model: 'embeddingsModel' },
  },
  {
    row: 'context-policies',
    path: () => '/v1/gw/context-policies',
    body: { name: 'x'.repeat(2001), allow_sources: ['x'.repeat(5000)], token_budget: -1 },
    operation: `mutation($input: ContextPolicyCreateInput!) {
      contextPolicyCreate(input: $input) { id }
    }`,
    variables: () => ({
      input: { name: 'x'.repeat(2001), allowSources: ['x'.repeat(5000)], tokenBudget: -1 },
    }),
    named: {
      name: 'input.name',
      'allow_sources.0': 'input.allowSources.0',
      token_budget: 'input.tokenBudget',
    },
  },
  {
    row: 'context-policies/evaluate',
    path: () => `/v1/gw/context-policies/${id.contextPolicy}/evaluate`,
    body: { context_pack: { items: [{ id: 'a', tokens: -1 }, { id: 'a' }] } },
    operation: `query($id: ID!, $contextPack: ContextPackInput) {
      contextPolicyEvaluate(id: $id, contextPack: $contextPack) { decision }
    }`,
    variables: () => ({
      id: id.contextPolicy,
      contextPack: { items: [{ id: 'a', tokens: -1 }, { id: 'a' }] },
    }),
    named: {
      'context_pack.items.0.tokens': 'contextPack.items.0.tokens',
      'context_pack.items.1.id': 'contextPack.items.1.id',
    },
  },
];

describe('faults that a resolver finds', () => {
  it.each(REFUSED)(
    'are named as the caller wrote them: $row',
    async ({ path, body, operation, variables, named }) => {
      const written = await faultsOfRest(path(), body);
      const asked = await faultsOfGraphql(operation, variables());
      expect(
        Object.fromEntries(written.map((fault, index) => [fault.path, asked[index]?.path])),
      ).toEqual(named);
      for (const [index, fault] of written.entries()) {
        const other = asked[index];
        expect(fault.message.startsWith(`${fault.path} `)).toBe(true);
        expect(fault.message).toBe(other?.message.replaceAll(other.path, fault.path));
        expect(fault.message).not.toMatch(/[a-z][A-Z]/);
      }
    },
  );

  it('name the other members of a body as it does', async () => {
    const path = `/v1/gw/context-policies/${id.contextPolicy}/evaluate`;
    const both = { items: [], context_pack: { items: [] } };
    expect((await faultsOfRest(path, both)).map(({ message }) => message)).toEqual([
      'context_pack cannot be given beside `items`.',
    ]);
  });
});

describe('an amount of rubles', () => {
  const path = () => `/v1/gw/policies/${id.policy}`;
  const change = (daily: unknown) =>
    rest<Refusal & { budgets: object }>(app, 'PATCH', path(), {
      credential: customer.token,
      body: { budgets: { daily_rub: daily } },
    });
  const CHANGE = `mutation($id: ID!, $daily: Rub) {
    policyUpdate(id: $id, input: { budgets: { dailyRub: $daily } }) { budgets { dailyRub } }
  }`;

  it.each([9007199254.740993, 8589934592.000002, 99999999999.99])(
    'that a JSON number does not carry exactly is refused, and may be a string: %d',
    async (daily) => {
      const { status, body } = await change(daily);
      expect([status, body.error.faults]).toEqual([
        400,
        [
          {
            path: 'budgets.daily_rub',
            code: 'invalid',
            message: '`budgets.daily_rub` is not exact as a JSON number; give it as a string.',
          },
        ],
      ]);
      const { errors } = await graphql(app, CHANGE, { id: id.policy, daily }, customer.token);
      expect(errors?.[0]?.message).toContain(
        'It is not exact as a JSON number; give it as a string.',
      );
    },
  );

  it('is taken as a number where that is exact, and as a string at any size', async () => {
    expect((await change(999999999.999999)).body.budgets).toMatchObject({
      daily_rub: 999999999.999999,
    });
    const answer = await graphql(app, CHANGE, { id: id.policy, daily: 0.000001 }, customer.token);
    expect(answer.data).toEqual({ policyUpdate: { budgets: { dailyRub: '0.000001' } } });
    const topUp = { amount_rub: '9007199254.740993' };
    const { body } = await post<Refusal>('/billing/top-up/manual', topUp);
    expect(JSON.stringify(body)).not.toContain('not exact');
  });
});
