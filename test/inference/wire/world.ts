import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Customer, graphql, rest, startApp, type TestApp } from '../../support/app.js';
import { startUpstreamDouble, type UpstreamDouble } from '../../support/upstream-double.mjs';

/** What one image costs at most with the model of the lane `main`. */
export const IMAGE_TOKENS_MAX = 1_500;
/** Rubles for a million tokens, which are micro-rubles for a token. */
export const PRICE = 100;

/** A gateway in front of a provider that is told nothing and of one that is told the metadata. */
export interface WireWorld extends TestApp {
  readonly double: UpstreamDouble;
}

/** Starts it; the sandbox is off. */
export async function startWireWorld(): Promise<WireWorld> {
  const double = await startUpstreamDouble();
  const folder = await mkdtemp(join(tmpdir(), 'gw-providers-'));
  const file = join(folder, 'providers.json');
  const providers = [provider('main', double.origin), provider('told', double.origin)];
  await writeFile(file, JSON.stringify({ providers }));
  const app = await startApp({ GW_PROVIDERS_FILE: file, GW_SANDBOX: 'off' });
  return {
    ...app,
    double,
    async stop() {
      await app.stop();
      await double.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function provider(id: 'main' | 'told', origin: string) {
  const prices = [{ effective_from: '2026-01-01', input: PRICE, output: PRICE }];
  return {
    id,
    name: `The provider ${id}`,
    operator: 'a test',
    base_url: `${origin}/${id}/v1`,
    jurisdiction: 'rf',
    forward_metadata: id === 'told',
    models: [
      {
        id: `${id}/chat`,
        upstream_name: 'chat-upstream',
        capabilities: ['text', 'tools', 'json', 'json_schema', 'streaming', 'vision', 'audio'],
        context_window: 131_072,
        max_output_tokens: 4_000,
        image_tokens_max: IMAGE_TOKENS_MAX,
        prices,
      },
      {
        id: `${id}/embed`,
        upstream_name: 'embed-upstream',
        operation: 'embeddings',
        capabilities: ['text', 'embeddings'],
        context_window: 8_192,
        prices,
      },
    ],
  };
}

/** How a way of asking ended: the answer as text, and the code of the failure if it is one. */
export interface Asked {
  readonly text: string;
  readonly code: string | undefined;
  readonly faults: readonly string[];
}

type Body = Record<string, unknown>;
/** Asks for a chat in one way. */
export type Ask = (app: TestApp, customer: Customer, body: Body) => Promise<Asked>;

interface Failure {
  readonly code: string;
  readonly faults?: readonly { readonly path: string }[];
}

function asked(text: string, failure: Failure | undefined): Asked {
  const faults = failure?.faults?.map(({ path }) => path.replace(/^input\./, '')) ?? [];
  return { text, code: failure?.code, faults };
}

async function overRest(app: TestApp, customer: Customer, body: Body): Promise<Asked> {
  const answer = await rest<{ error?: Failure } | string>(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body,
  });
  const { body: answered } = answer;
  if (typeof answered !== 'string') return asked(JSON.stringify(answered), answered.error);
  const line = /^data: (\{"error".*)$/m.exec(answered)?.[1];
  return asked(answered, line ? (JSON.parse(line) as { error: Failure }).error : undefined);
}

const SUBSCRIPTION =
  'subscription($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';
const MUTATION = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

/** A subscription over server-sent events, read to its end. */
export async function subscribed(
  app: Pick<TestApp, 'url'>,
  credential: string,
  query: string,
  variables: Body,
): Promise<Asked> {
  const response = await fetch(`${app.url}/graphql`, {
    method: 'POST',
    headers: {
      accept: 'text/event-stream',
      'content-type': 'application/json',
      authorization: `Bearer ${credential}`,
    },
    body: JSON.stringify({ query, variables }),
  });
  const text = await response.text();
  const line = /^data: (\{.*"errors".*)$/m.exec(text)?.[1] ?? (text.startsWith('{') ? text : '{}');
  const { errors } = JSON.parse(line) as { errors?: { extensions: Failure }[] };
  return asked(text, errors?.[0]?.extensions);
}

/** Every way to ask for a chat with a body of the wire. */
export const WAYS: Readonly<Record<string, Ask>> = {
  'REST, plain': overRest,
  'REST, streamed': (app, customer, body) => overRest(app, customer, { ...body, stream: true }),
  'GraphQL, plain': async (app, customer, input) => {
    const answer = await graphql(app, MUTATION, { input }, customer.key);
    return asked(
      JSON.stringify(answer.data),
      answer.errors?.[0]?.extensions as Failure | undefined,
    );
  },
  'GraphQL, streamed': (app, customer, input) =>
    subscribed(app, customer.key, SUBSCRIPTION, { input }),
};
