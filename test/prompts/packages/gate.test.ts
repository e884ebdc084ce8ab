import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ErrorBody, newPolicy, outcome } from '../../journeys/people.js';
import {
  type Answer,
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../../support/app.js';
import { PROVED, prove } from '../../support/proof.js';
import { callsOf, freshKey, newPrompt, VERSION } from './samples.js';

let app: TestApp;
let owner: Customer;
beforeAll(async () => {
  app = await startApp();
  owner = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

interface Check {
  readonly code: string;
  readonly status: string;
  readonly message: string;
  readonly details: readonly unknown[];
}

interface Receipt extends ErrorBody {
  readonly id: string;
  readonly run_id: string;
  readonly gate_status: string;
  readonly schema_valid: boolean | null;
  readonly checks: readonly Check[];
  readonly already_sealed: boolean;
}

function test(id: string, body: object = {}, credential = owner.token): Promise<Answer<Receipt>> {
  return rest(app, 'POST', `/v1/gw/prompts/${id}/test`, { credential, body });
}

function ending({ checks }: Receipt, code: string): string | undefined {
  return checks.find((check) => check.code === code)?.status;
}

describe('the deterministic gate', () => {
  it('answers with the prompt receipt: status, schema, checks, cost', async () => {
    const id = await newPrompt(app, owner.token);
    await prove(app, owner.token, id);
    const { status, body } = await test(id);
    expect(status).toBe(200);
    const hash = expect.stringMatching(/^[0-9a-f]{64}$/);
    expect(body).toEqual({
      id: expect.any(String),
      run_id: expect.any(String),
      prompt_id: id,
      prompt_key: expect.stringMatching(/^support\.reply/),
      version_id: expect.any(String),
      version: 1,
      gate_status: 'pass',
      missing: [
        'context_policy: The package names no context policy.',
        'no_regression: No other version is in production.',
      ],
      failing: [],
      reproduced: true,
      evidence: PROVED,
      schema_valid: true,
      checks: expect.any(Array),
      cost: [
        {
          name: 'sandbox/gw-mini',
          model: 'sandbox/gw-mini',
          input_tokens: expect.any(Number),
          output_tokens: expect.any(Number),
          output_assumption: 'sample_outputs',
          cost_rub: expect.any(Number),
          reason: null,
          provenance: 'estimated',
        },
      ],
      content_hash: hash,
      template_hash: hash,
      context_policy: null,
      context_as_of: null,
      sha256: hash,
      already_sealed: true,
      created_at: expect.any(String),
    });
    expect(body.checks.filter(({ status: each }) => each !== 'pass')).toMatchObject([
      { code: 'context_policy', status: 'not_measured', basis: 'stated' },
      { code: 'no_regression', status: 'not_measured', basis: 'recorded' },
    ]);
  });

  it('seals its receipt, which can be verified', async () => {
    const id = await newPrompt(app, owner.token);
    const { body } = await test(id);
    const { data } = await graphql<{ receiptVerification: object; receipt: { kind: string } }>(
      app,
      `query($id: String!) {
        receiptVerification(id: $id) { valid chainValid }
        receipt(id: $id) { kind }
      }`,
      { id: body.id },
      owner.token,
    );
    expect(data).toEqual({
      receiptVerification: { valid: true, chainValid: true },
      receipt: { kind: 'prompt_gate' },
    });
  });

  it('under the same inputs returns the first receipt, and lists every run', async () => {
    const id = await newPrompt(app, owner.token);
    const first = await test(id);
    const other = await test(id, { sample_outputs: [{ reply: 1 }] });
    const again = await test(id);
    expect(again.body).toEqual({
      ...first.body,
      run_id: expect.any(String),
      already_sealed: true,
      created_at: expect.any(String),
    });
    expect(other.body.id).not.toBe(first.body.id);
    const { body } = await rest<{ data: Receipt[]; has_more: boolean; next_cursor: string }>(
      app,
      'GET',
      `/v1/gw/prompts/${id}/receipts?limit=2`,
      { credential: owner.token },
    );
    expect(body.data).toEqual([again.body, other.body]);
    const rest2 = await rest<{ data: Receipt[] }>(
      app,
      'GET',
      `/v1/gw/prompts/${id}/receipts?limit=2&cursor=${body.next_cursor}`,
      { credential: owner.token },
    );
    expect(rest2.body.data).toEqual([first.body]);
  });

  it('run by many at once seals one receipt', async () => {
    const id = await newPrompt(app, owner.token);
    const answers = await Promise.all(Array.from({ length: 5 }, () => test(id)));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
    expect(answers.filter(({ body }) => !body.already_sealed)).toHaveLength(1);
  });

  it('names missing and unused variables, and a schema that does not compile', async () => {
    const id = await newPrompt(app, owner.token, {
      template: 'Hello {{ name }}',
      variables: ['nam'],
      output_schema: { type: 'strin' },
      model_variants: ['sandbox/gw-minni'],
    });
    const { body } = await test(id, { sample_variables: { nam: 'x' } });
    expect(body).toMatchObject({ gate_status: 'fail', schema_valid: false });
    const failed = body.checks.filter(({ status }) => status === 'fail' || status === 'warn');
    expect(failed).toMatchObject([
      { code: 'variables_declared', details: ['name'] },
      { code: 'variables_used', details: ['nam'] },
      { code: 'output_schema_compiles' },
      {
        code: 'models_known',
        details: [
          { model: 'sandbox/gw-minni', did_you_mean: expect.arrayContaining(['sandbox/gw-mini']) },
        ],
      },
      { code: 'injection_slots', status: 'warn' },
    ]);
  });

  it('holds sample outputs against the schema, and says how each is wrong', async () => {
    const id = await newPrompt(app, owner.token);
    const { body } = await test(id, { sample_outputs: [{ reply: 'a' }, { reply: 1 }] });
    expect(body.schema_valid).toBe(false);
    expect(body.checks.find(({ code }) => code === 'sample_outputs_valid')).toMatchObject({
      status: 'fail',
      details: [{ source: 'run', index: 1, faults: ['output.reply must be string.'] }],
    });
  });

  it('refuses models that the policy of the caller’s project does not allow', async () => {
    const customer = await newCustomer(app);
    const id = await newPrompt(app, customer.token);
    expect(ending((await test(id, {}, customer.token)).body, 'models_allowed')).toBe('pass');
    await newPolicy(app, customer.token, { allowed_models: ['sandbox/gw-pro'] });
    const { body } = await test(id, {}, customer.token);
    expect(ending(body, 'models_allowed')).toBe('fail');
    expect(body.already_sealed).toBe(false);
  });

  it('evaluates the context policy of the package on the given pack', async () => {
    const policy = await rest(app, 'POST', '/v1/gw/context-policies', {
      credential: owner.token,
      body: { name: 'kb', allow_sources: ['kb/*'], freshness_days: 30 },
    });
    const id = await newPrompt(app, owner.token, { ...VERSION, context_policy: policy.body.id });
    expect(ending((await test(id)).body, 'context_policy')).toBe('not_measured');
    const today = new Date().toISOString();
    const item = { id: 'a', source: 'kb/1', updated_at: today };
    const allowed = await test(id, { context_pack: { items: [item] } });
    expect(ending(allowed.body, 'context_policy')).toBe('pass');
    const blocked = await test(id, { context_pack: { items: [{ ...item, source: 'web' }] } });
    expect(blocked.body.gate_status).toBe('fail');
    const check = blocked.body.checks.find(({ code }) => code === 'context_policy');
    expect(check?.details).toMatchObject([{ item_id: 'a', fix: expect.any(String) }]);
  });

  it('takes the version that is named, and refuses samples of a wrong shape by name', async () => {
    const id = await newPrompt(app, owner.token);
    expect(outcome(await test(id, { version: 9 }))).toBe('404 not_found');
    const { status, body } = await test(id, { sample_variables: [], sample_outputs: {} });
    expect(status).toBe(400);
    expect(body.error.faults?.map(({ path }) => path)).toEqual([
      'sample_variables',
      'sample_outputs',
    ]);
  });
});

describe('the difference of two versions', () => {
  it('is by line and variable, and says whether the output schema breaks consumers', async () => {
    const id = await newPrompt(app, owner.token);
    await rest(app, 'POST', `/v1/gw/prompts/${id}/versions`, {
      credential: owner.token,
      body: {
        ...VERSION,
        template: VERSION.template.replace('Reply', 'Answer'),
        variables: ['letter', 'language', 'tone'],
        output_schema: { ...VERSION.output_schema, required: [] },
        model_variants: ['sandbox/gw-pro'],
      },
    });
    const path = `/v1/gw/prompts/${id}/diff`;
    const { status, body } = await rest(app, 'GET', path, { credential: owner.token });
    expect(status).toBe(200);
    expect(body).toEqual({
      data_class_min: { changed: false, before: null, after: null },
      prompt_id: id,
      from: 1,
      to: 2,
      added_lines: [{ line: 2, text: 'Answer in {{ language }}.' }],
      removed_lines: [{ line: 2, text: 'Reply in {{ language }}.' }],
      added_variables: ['tone'],
      removed_variables: [],
      changed_variables: [
        expect.objectContaining({ name: 'letter', members: ['trusted'] }),
        expect.objectContaining({ name: 'language', members: ['default', 'trusted'] }),
      ],
      added_model_variants: ['sandbox/gw-pro'],
      removed_model_variants: ['sandbox/gw-mini'],
      changed_model_variants: [],
      output_schema: {
        changed: true,
        breaking: true,
        changes: [
          {
            code: 'property_not_required',
            path: '$.reply',
            breaking: true,
            message: '$.reply: the property may be missing now.',
          },
        ],
      },
    });
    const back = await rest<{ output_schema: { breaking: boolean } }>(
      app,
      'GET',
      `${path}?from=2&to=1`,
      { credential: owner.token },
    );
    expect(back.body.output_schema.breaking).toBe(false);
  });

  it('needs versions that exist', async () => {
    const id = await newPrompt(app, owner.token);
    const ask = async (query: string) =>
      outcome(
        await rest(app, 'GET', `/v1/gw/prompts/${id}/diff${query}`, { credential: owner.token }),
      );
    expect(await ask('')).toBe('422 prompt_no_previous_version');
    expect(await ask('?from=1&to=2')).toBe('404 not_found');
    expect(await ask('?from=0&to=1')).toBe('404 not_found');
    expect(await ask('?from=1&to=1')).toBe('200');
    expect(await ask('?from=1&to=x')).toBe('400 invalid_request');
  });
});

describe('every mutation', () => {
  it('leaves exactly one audit event of its name', async () => {
    const calls = callsOf(app);
    const count = async (action: string) => {
      const { rows } = await app.owner.pool.query<{ count: string }>(
        'SELECT count(*) FROM audit_event WHERE tenant_id = $1 AND action = $2',
        [owner.tenantId, action],
      );
      return Number(rows[0]?.count);
    };
    for (const action of ['promptVersionCreate', 'promptTest', 'promptPromote', 'promptRollback']) {
      const before = await count(action);
      await calls[action]?.(owner);
      expect({ action, events: (await count(action)) - before }).toEqual({
        action,
        events: 1,
      });
    }
    const before = await count('promptCreate');
    await calls.promptCreate?.(owner);
    expect((await count('promptCreate')) - before).toBe(1);
  });

  it('takes JSON that stands in the GraphQL document', async () => {
    const { data, errors } = await graphql<{ promptCreate: { currentVersion: number } }>(
      app,
      `mutation { promptCreate(input: {
        promptKey: "${freshKey()}", template: "Hi", outputSchema: { type: "object" },
        sampleOutputs: [{ a: { b: 1 } }]
      }) { currentVersion } }`,
      {},
      owner.token,
    );
    expect(errors).toBeUndefined();
    expect(data.promptCreate).toEqual({ currentVersion: 1 });
  });
});

describe('the history', () => {
  it('is paged in full, and read for a whole list of packages in one statement', async () => {
    const customer = await newCustomer(app);
    const ids = [await newPrompt(app, customer.token), await newPrompt(app, customer.token)];
    const { data } = await graphql<{
      prompts: { nodes: { id: string; lifecycle: { history: { version: number }[] } }[] };
      promptHistory: { nodes: { event: string }[] };
    }>(
      app,
      `query($id: ID!) {
        prompts { nodes { id lifecycle { history { version } } } }
        promptHistory(promptId: $id, first: 5) { nodes { event } }
      }`,
      { id: ids[0] },
      customer.token,
    );
    expect(data.prompts.nodes).toEqual(
      [...ids].reverse().map((id) => ({ id, lifecycle: { history: [{ version: 1 }] } })),
    );
    expect(data.promptHistory.nodes).toEqual([{ event: 'version_created' }]);
  });
});
