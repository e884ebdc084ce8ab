import { expect } from 'vitest';
import type { DataClass } from '../../../src/kernel/firewall/vocabulary.js';
import { limited } from '../../access/keys/limited.js';
import { newWorkspace } from '../../access/workspaces/samples.js';
import { type ChatAnswer, type ErrorBody, newPolicy } from '../../journeys/people.js';
import { freshPromptKey, writePrompt } from '../../prompts/use/prompts.js';
import { type Answer, type Customer, newCustomer, rest, type TestApp } from '../../support/app.js';
import { type ProvidedApp, startProvided } from '../../support/provided-app.js';

/** The models of the provider in Russia, and of the cheaper one abroad. */
export const INSIDE = 'inside/model';
export const OUTSIDE = 'outside/model';
export const EMBED_INSIDE = 'inside/embed';
export const EMBED_OUTSIDE = 'outside/embed';

export type Body = Readonly<Record<string, unknown>>;

/** A dear model in Russia whose provider tests let fail; its fallback is the model abroad. */
export const BROKEN = 'broken/model';

/** Starts a gateway whose only providers these are. */
export function startWorld(environment: NodeJS.ProcessEnv = {}): Promise<ProvidedApp> {
  return startProvided(
    (origin) => [
      provider(origin, 'inside', 100),
      provider(origin, 'outside', 10),
      provider(origin, 'broken', 1_000),
    ],
    { GW_SANDBOX: 'off', ...environment },
  );
}

function provider(origin: string, id: string, input: number) {
  return {
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${origin}/${id}/v1`,
    jurisdiction: id === 'outside' ? 'outside' : 'rf',
    models: [
      {
        upstream_name: 'model',
        capabilities: ['text', 'tools', 'json', 'streaming'],
        context_window: 100_000,
        max_output_tokens: 4_000,
        prices: [{ effective_from: '2026-01-01', input, output: input }],
        fallbacks: id === 'broken' ? ['outside/model'] : [],
      },
      {
        upstream_name: 'embed',
        operation: 'embeddings',
        capabilities: ['text', 'embeddings'],
        context_window: 8_000,
        max_output_tokens: 1,
        prices: [{ effective_from: '2026-01-01', input }],
      },
    ],
  };
}

/** How somebody asks: with which key, header and members of the body. */
export interface Asker {
  readonly customer: Customer;
  readonly key: string;
  readonly headers?: Record<string, string>;
  readonly metadata?: Body;
}

/** Everybody who can state a class, by the source that receipts name. */
export const WAYS: Readonly<
  Record<string, (app: TestApp, dataClass: DataClass) => Promise<Asker>>
> = {
  async request(_app, data_class) {
    const customer = await newCustomer(_app, 500);
    return { customer, key: customer.key, metadata: { data_class } };
  },
  async key(app, data_class_min) {
    const customer = await newCustomer(app, 500);
    const { key } = await limited(app, customer.token, { data_class_min });
    return { customer, key };
  },
  async project_policy(app, data_class_min) {
    const customer = await newCustomer(app, 500);
    expect((await newPolicy(app, customer.token, { data_class_min })).version).toBe(1);
    return { customer, key: customer.key };
  },
  async workspace(app, data_class_min) {
    const customer = await newCustomer(app, 500);
    const policy = { data_classes: ['C0', 'C1', 'C2', 'C3', 'C4'], data_class_min };
    const approved_routes = ['fast', 'balanced'];
    const made = await newWorkspace(app, customer, { approved_routes, policy });
    expect(made.status).toBe(200);
    return { customer, key: customer.key, headers: { 'x-gw-workspace': made.body.id } };
  },
  async prompt(app, dataClassMin) {
    const customer = await newCustomer(app, 500);
    const promptKey = freshPromptKey();
    const version = { template: 'Be brief.', status: 'production', dataClassMin } as const;
    await writePrompt(app, customer, promptKey, version);
    return { customer, key: customer.key, metadata: { prompt_key: promptKey } };
  },
};

/** The sources that state a class for embeddings too: no prompt fills those. */
export const WAYS_OF_EMBEDDINGS = Object.keys(WAYS).filter((name) => name !== 'prompt');

export const PLAIN = 'Какая погода бывает в мае?';

/** A chat body of an asker. */
export function bodyOf({ metadata }: Asker, more: Body = {}, content = PLAIN): Body {
  const said = { ...metadata, ...(more.metadata as Body | undefined) };
  return {
    model: 'gw:auto',
    max_tokens: 50,
    messages: [{ role: 'user', content }],
    ...more,
    ...(Object.keys(said).length > 0 && { metadata: said }),
  };
}

/** A chat in one piece. */
export function ask(
  app: Pick<TestApp, 'url'>,
  asker: Asker,
  more: Body = {},
  content = PLAIN,
): Promise<Answer<ChatAnswer & ErrorBody>> {
  const { key: credential, headers = {} } = asker;
  const body = bodyOf(asker, more, content);
  return rest(app, 'POST', '/v1/chat/completions', { credential, headers, body });
}

/** The receipts of the last chunk of a stream, or the error that it was refused with. */
export async function stream(app: TestApp, asker: Asker, more: Body = {}): Promise<ChatAnswer> {
  const response = await fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${asker.key}`,
      'content-type': 'application/json',
      ...asker.headers,
    },
    body: JSON.stringify({ ...bodyOf(asker, more), stream: true }),
  });
  const text = await response.text();
  if (response.status !== 200) return JSON.parse(text);
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'));
  return JSON.parse((events.at(-1) ?? '').slice('data: '.length));
}
