import { afterAll, beforeAll, expect, it } from 'vitest';
import { outcome } from '../../journeys/people.js';
import { INSIDE, type RoutedApp, startRoutedApp } from '../../journeys/providers.js';
import { type Customer, newCustomer, rest } from '../../support/app.js';
import { prove } from '../../support/proof.js';
import { freshPromptKey } from './prompts.js';

let app: RoutedApp;
let customer: Customer;

beforeAll(async () => {
  app = await startRoutedApp();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app.stop());

async function post(path: string, body: unknown): Promise<{ readonly id: string }> {
  const answer = await rest(app, 'POST', path, { credential: customer.token, body });
  expect(outcome(answer)).toMatch(/^20\d$/);
  return answer.body as { id: string };
}

const SPOKEN = { rule: { kind: 'contains', value: 'the double speaking' } };

/** Writes a version and takes it to production, through its gate. */
async function release(promptId: string, template: string): Promise<void> {
  const path = `/v1/gw/prompts/${promptId}`;
  await post(`${path}/versions`, { template, model_variants: [INSIDE] });
  await post(`${path}/promote`, {});
  await prove(app, customer.token, promptId, { cases: [{ name: 'x', graders: [SPOKEN] }] });
  await post(`${path}/promote`, {});
  await post(`${path}/promote`, {});
}

/** What a provider is told by a request that names no version. */
async function told(key: string): Promise<unknown> {
  const answer = await rest(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { gw_prompt: { key } },
  });
  if (answer.status !== 200) return outcome(answer);
  const { version } = answer.body.gw_prompt as { version: number };
  const { messages } = JSON.parse(app.double.log.at(-1)?.body ?? '{}') as {
    messages: { content: string }[];
  };
  return [version, messages[0]?.content];
}

it('promotes and rolls back from the next chat request on', async () => {
  const key = freshPromptKey();
  const { id } = await post('/v1/gw/prompts', { prompt_key: key });
  expect(await told(key)).toBe('422 prompt_not_in_production');
  await release(id, 'One.');
  expect(await told(key)).toEqual([1, 'One.']);
  await release(id, 'Two.');
  expect(await told(key)).toEqual([2, 'Two.']);
  await post(`/v1/gw/prompts/${id}/rollback`, {});
  expect(await told(key)).toEqual([1, 'One.']);
});

it.each(['a\u0000b', '\u0000', 'a\ud800b'])('names a key that none can be, %j', async (key) => {
  const body = { model: INSIDE, messages: [{ role: 'user', content: 'x' }] };
  for (const [path, more] of [
    ['gw_prompt.key', { gw_prompt: { key } }],
    ['metadata.prompt_key', { metadata: { prompt_key: key } }],
  ] as const) {
    const answer = await rest(app, 'POST', '/v1/chat/completions', {
      credential: customer.key,
      body: { ...body, ...more },
    });
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      400,
      expect.stringContaining(path),
    ]);
  }
});
