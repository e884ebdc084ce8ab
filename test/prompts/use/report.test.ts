import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../../support/app.js';
import { freshPromptKey, writePrompt } from './prompts.js';

let app: TestApp;
let customer: Customer;
let stranger: Customer;

beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app, 1_000);
  stranger = await newCustomer(app, 10);
});
afterAll(() => app.stop());

const MODEL = 'sandbox/gw-mini';
const SCHEMA = {
  type: 'object',
  required: ['answer'],
  properties: { answer: { type: 'string' } },
  additionalProperties: false,
};
const TEXT_FORM = { response_format: { type: 'text' } };

interface Answered {
  readonly gw_prompt: { readonly schema_valid: boolean | null };
  readonly gw_routing: { readonly request_id: string; readonly cost_rub: number };
  readonly choices: readonly { readonly message: { readonly content: string } }[];
}

async function ask(body: Record<string, unknown>): Promise<Answered> {
  const answer = await rest(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { messages: [{ role: 'user', content: 'Hello' }], ...body },
  });
  expect(outcome(answer)).toBe('200');
  return answer.body as unknown as Answered;
}

function usage(id: string, query = '', credential = customer.token) {
  return rest<{ versions: Record<string, unknown>[]; [name: string]: unknown }>(
    app,
    'GET',
    `/v1/gw/prompts/${id}/usage${query}`,
    { credential },
  );
}

describe('an output schema', () => {
  it('becomes the form of the answer where the client states none, and is checked', async () => {
    const key = freshPromptKey();
    const version = { template: 'Answer.', outputSchema: SCHEMA, modelVariants: [MODEL] };
    await writePrompt(app, customer, key, { ...version, status: 'production' });
    const held = await ask({ gw_prompt: { key } });
    expect(Object.keys(JSON.parse(held.choices[0]?.message.content ?? '') as object)).toEqual([
      'answer',
    ]);
    expect(held.gw_prompt.schema_valid).toBe(true);
    expect((await ask({ gw_prompt: { key }, ...TEXT_FORM })).gw_prompt.schema_valid).toBe(false);
    const otherJson = { response_format: { type: 'json_object' } };
    expect((await ask({ gw_prompt: { key }, ...otherJson })).gw_prompt.schema_valid).toBe(false);
  });

  it('is not measured for calls of tools', async () => {
    const key = freshPromptKey();
    const version = { template: 'Answer.', outputSchema: SCHEMA, modelVariants: [MODEL] };
    await writePrompt(app, customer, key, { ...version, status: 'production' });
    const tools = [{ type: 'function', function: { name: 'hello', parameters: {} } }];
    const answer = await ask({ gw_prompt: { key }, tools, tool_choice: 'required' });
    expect(answer.gw_prompt.schema_valid).toBeNull();
  });
});

describe('the usage of a prompt', () => {
  it('is the sum of its usage rows and of the ledger, to the micro-ruble', async () => {
    const key = freshPromptKey();
    const version = { template: 'Answer.', outputSchema: SCHEMA, modelVariants: [MODEL] };
    const retired = { ...version, status: 'deprecated', supersededBy: 2 } as const;
    const current = { ...version, template: 'Answer now.', status: 'production' } as const;
    const id = await writePrompt(app, customer, key, retired, current);
    for (const form of [{}, TEXT_FORM, {}]) await ask({ gw_prompt: { key }, ...form });
    await ask({ gw_prompt: { key, version: 1 } });
    const { pool } = app.owner;
    const { rows } = await pool.query<{ version: number; rub: string; tokens: string }>(
      `SELECT (u.metadata -> 'gw_prompt' ->> 'version')::int AS version,
              (sum(u.amount_micro) / 1e6)::text AS rub,
              sum(u.output_text + u.output_reasoning)::text AS tokens
       FROM usage_event u WHERE u.metadata -> 'gw_prompt' ->> 'prompt_id' = $1
       GROUP BY 1 ORDER BY 1 DESC`,
      [id],
    );
    const ledger = await pool.query<{ rub: string }>(
      `SELECT (sum(-e.amount_micro) / 1e6)::text AS rub FROM ledger_entry e
       JOIN usage_event u ON u.tenant_id = e.tenant_id AND u.id = e.request_id
       WHERE e.type = 'finalize' AND u.metadata -> 'gw_prompt' ->> 'prompt_id' = $1`,
      [id],
    );
    const { body } = await usage(id);
    expect(body).toMatchObject({ prompt_id: id, prompt_key: key, provenance: 'simulated' });
    expect(body.simulated_requests).toBe(4);
    expect(body.requests).toBe(4);
    expect(body.cost_rub).toBe(Math.abs(Number(ledger.rows[0]?.rub)));
    expect(body.versions.map((each) => [each.version, each.cost_rub, each.output_tokens])).toEqual(
      rows.map((each) => [each.version, Number(each.rub), Number(each.tokens)]),
    );
    expect(body.versions).toEqual([
      {
        version: 2,
        status: 'production',
        traffic: 'simulated',
        requests: 3,
        simulated_requests: 3,
        complete: 3,
        partial: 0,
        failed: 0,
        refused: 0,
        errors: [],
        cost_rub: expect.any(Number),
        input_tokens: expect.any(Number),
        output_tokens: expect.any(Number),
        latency_ms_p50: expect.any(Number),
        latency_ms_p95: expect.any(Number),
        schema: { state: 'simulated', checked: 3, valid: 2, share: 2 / 3 },
      },
      expect.objectContaining({
        version: 1,
        status: 'deprecated',
        requests: 1,
        schema: { state: 'simulated', checked: 1, valid: 1, share: 1 },
      }),
    ]);
  });

  it('says no_traffic of a version without requests, and no share or latency', async () => {
    const id = await writePrompt(app, customer, freshPromptKey(), { template: 'A.' });
    const { body } = await usage(id);
    expect(body.versions).toEqual([
      {
        version: 1,
        status: 'draft',
        traffic: 'no_traffic',
        requests: 0,
        simulated_requests: 0,
        complete: 0,
        partial: 0,
        failed: 0,
        refused: 0,
        errors: [],
        cost_rub: 0,
        input_tokens: 0,
        output_tokens: 0,
        latency_ms_p50: null,
        latency_ms_p95: null,
        schema: { state: 'not_measured', checked: 0, valid: 0, share: null },
      },
    ]);
  });

  it('counts failures by their code, and exact percentiles of what was answered', async () => {
    const key = freshPromptKey();
    const version = { template: 'Answer.', modelVariants: [MODEL] };
    const id = await writePrompt(app, customer, key, { ...version, status: 'production' });
    for (let count = 0; count < 4; count += 1) await ask({ gw_prompt: { key } });
    const failing = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: {
        gw_prompt: { key },
        metadata: { sandbox_error: '400', sandbox_delay_ms: '1000' },
      },
    });
    expect(outcome(failing)).toBe('400 upstream_rejected');
    const { rows } = await app.owner.pool.query<{ latency_ms: number }>(
      `SELECT latency_ms FROM usage_event WHERE metadata -> 'gw_prompt' ->> 'prompt_id' = $1
         AND status = 'complete' ORDER BY latency_ms`,
      [id],
    );
    const [, second = 0, , last = 0] = rows.map((row) => row.latency_ms);
    const { body } = await usage(id);
    expect(body.versions[0]).toMatchObject({
      requests: 5,
      complete: 4,
      failed: 1,
      errors: [{ code: 'upstream_rejected', requests: 1 }],
    });
    expect(body.versions[0]?.latency_ms_p50).toBe(second);
    expect(body.versions[0]?.latency_ms_p95).toBe(last);
  });

  it('is that of its window, which must have a length', async () => {
    const key = freshPromptKey();
    const version = { template: 'Answer.', modelVariants: [MODEL] };
    const id = await writePrompt(app, customer, key, { ...version, status: 'production' });
    await ask({ gw_prompt: { key } });
    const before = await usage(id, '?from=2026-01-01T00:00:00Z&to=2026-01-02T00:00:00Z');
    expect(before.body.requests).toBe(0);
    const empty = await usage(id, '?from=2026-01-02T00:00:00Z&to=2026-01-02T00:00:00Z');
    expect(outcome(empty)).toBe('400 invalid_request');
  });

  it('of another organization’s prompt behaves exactly like that of an unknown one', async () => {
    const id = await writePrompt(app, stranger, freshPromptKey(), { template: 'A.' });
    const unknown = '0192f0c1-7a3b-7014-8000-3f2b9c4d5e6f';
    const told = async (each: string) => {
      const { status, body } = await usage(each);
      const { message, code } = body.error as { message: string; code: string };
      return { status, code, message: message.replace(each, 'ID') };
    };
    expect(await told(id)).toEqual(await told(unknown));
    expect(outcome(await usage(id))).toBe('404 not_found');
  });
});
