import { createClient } from 'graphql-sse';
import { newFolder, writeProviders } from '../../faults/providers.js';
import { type Customer, graphql, rest, startApp, type TestApp } from '../../support/app.js';
import { type SpawnedDouble, spawnUpstreamDouble } from '../../support/upstream-double.js';

/** What a test asks for. */
export type Body = Readonly<Record<string, unknown>>;

/** A gateway in front of an upstream of its own process. Prices: 100 in, 1,000 out. */
export interface MoneyWorld extends TestApp {
  readonly double: SpawnedDouble;
}

export const MODEL = 'own/model';

/** A request that is held at 0.0x rubles. */
export const SHORT = {
  model: MODEL,
  max_tokens: 10,
  messages: [{ role: 'user', content: 'Здравствуйте' }],
};

/** Starts both. */
export async function startMoneyWorld(environment: NodeJS.ProcessEnv = {}): Promise<MoneyWorld> {
  const double = await spawnUpstreamDouble();
  const folder = newFolder();
  const lane = { lane: 'own', model: MODEL, inputRub: 100, outputRub: 1_000 };
  const app = await startApp({
    GW_PROVIDERS_FILE: writeProviders(folder, double.origin, [lane]),
    GW_SANDBOX: 'off',
    ...environment,
  });
  return {
    ...app,
    double,
    async stop() {
      await app.stop().finally(() => double.close());
      folder.remove();
    },
  };
}

/** An answer in whatever voice: its chunks, a whole answer being the only one. */
export interface Told {
  readonly chunks: readonly Body[];
  /** The code of the failure that ended it. */
  readonly failure: string | undefined;
}

/** The four ways to ask. */
export type Voice = (app: TestApp, credential: string, body: Body) => Promise<Told>;

async function restPlain(app: TestApp, credential: string, body: Body): Promise<Told> {
  const answer = await rest(app, 'POST', '/v1/chat/completions', { credential, body });
  const { error } = answer.body as { error?: { code: string } };
  return { chunks: error ? [] : [answer.body], failure: error?.code };
}

async function restStream(app: TestApp, credential: string, body: Body): Promise<Told> {
  const answer = await rest<string>(app, 'POST', '/v1/chat/completions', {
    credential,
    body: { ...body, stream: true },
  });
  const text = typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body);
  if (!text.includes('data: ')) return { chunks: [], failure: JSON.parse(text).error.code };
  const events = text
    .split('\n\n')
    .filter((event) => event.startsWith('data: {'))
    .map((event) => JSON.parse(event.slice('data: '.length)) as Body & { error?: Body });
  const failed = events.find(({ error }) => error);
  return { chunks: events.filter(({ error }) => !error), failure: failed?.error?.code as string };
}

async function graphqlPlain(app: TestApp, credential: string, input: Body): Promise<Told> {
  const query =
    'mutation Ask($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';
  const answer = await graphql<{ chatCompletionCreate: Body }>(app, query, { input }, credential);
  const failure = answer.errors?.[0]?.extensions.code;
  return { chunks: failure ? [] : [answer.data.chatCompletionCreate], failure };
}

async function graphqlStream(app: TestApp, credential: string, input: Body): Promise<Told> {
  const client = createClient({
    url: `${app.url}/graphql`,
    headers: { authorization: `Bearer ${credential}` },
    retryAttempts: 0,
  });
  const query =
    'subscription Ask($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';
  const chunks: Body[] = [];
  let failure: string | undefined;
  const events = client.iterate<{ chatCompletionStream: Body }>({ query, variables: { input } });
  for await (const { data, errors } of events) {
    failure ??= errors?.[0]?.extensions?.code as string | undefined;
    if (data?.chatCompletionStream) chunks.push(data.chatCompletionStream);
  }
  client.dispose();
  return { chunks, failure };
}

export const VOICES: readonly (readonly [name: string, voice: Voice])[] = [
  ['REST, plain', restPlain],
  ['REST, streamed', restStream],
  ['GraphQL, plain', graphqlPlain],
  ['GraphQL, streamed', graphqlStream],
];

/** What the books say of the latest request of a customer. */
export interface Booked {
  readonly state: string;
  readonly heldMicro: bigint;
  readonly chargedMicro: bigint | null;
  readonly status: string;
  readonly errorCode: string | null;
  readonly finishReason: string | null;
  readonly input: number;
  readonly output: number;
  readonly rawUsage: unknown;
  readonly usageSource: string;
  readonly beyondMicro: bigint | null;
}

/** Reads it past the gateway. */
export async function latest(app: TestApp, customer: Customer): Promise<Booked> {
  const { rows } = await app.owner.pool.query<Booked>(
    `SELECT h.state, h.amount_micro AS "heldMicro", h.charged_micro AS "chargedMicro", u.status,
            u.error_code AS "errorCode", u.finish_reason AS "finishReason",
            u.input_uncached + u.input_cached + u.cache_write AS input,
            u.output_text + u.output_reasoning AS output, u.raw_usage AS "rawUsage",
            u.usage_source AS "usageSource", o.cost_micro AS "beyondMicro"
     FROM hold h JOIN usage_event u ON u.id = h.request_id
     LEFT JOIN ledger_overrun o ON o.request_id = h.request_id
     WHERE h.account_id = $1 ORDER BY h.created_at DESC, h.request_id DESC LIMIT 1`,
    [customer.accountId],
  );
  const [row] = rows;
  if (!row) throw new Error('the customer has no request');
  return row;
}

/** The receipt of an answer. */
export function routingOf({ chunks }: Told): Body {
  return (chunks.at(-1)?.gw_routing ?? {}) as Body;
}

/** All text of an answer. */
export function textOf({ chunks }: Told): string {
  type Choice = { message?: { content?: string }; delta?: { content?: string } };
  const choices = chunks.flatMap((chunk) => (chunk.choices ?? []) as Choice[]);
  return choices.map(({ message, delta }) => (message ?? delta)?.content ?? '').join('');
}

/** Why the answer ended. */
export function finishOf({ chunks }: Told): string | undefined {
  type Choice = { finish_reason?: string | null };
  const choices = chunks.flatMap((chunk) => (chunk.choices ?? []) as Choice[]);
  return (
    choices.map(({ finish_reason: reason }) => reason).find((reason) => reason != null) ?? undefined
  );
}
