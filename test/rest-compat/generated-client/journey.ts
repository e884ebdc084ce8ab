// What a customer writes with the generated client. It is compiled and run beside the client, which
// is made anew for each run.
import * as gateway from './client';
import { client } from './client/client.gen';

/** What the journey met, for the test to judge. */
export interface Journey {
  readonly role: string;
  readonly balanceRub: number;
  readonly said: string | null | undefined;
  readonly costRub: number | null | undefined;
  readonly chunks: readonly string[];
  readonly vectorLength: number;
  readonly hasModel: boolean;
  readonly prompt: gateway.Prompt;
  readonly prompts: readonly string[];
  readonly refused: gateway.Error;
  readonly unknown: gateway.ErrorCode;
}

/** Registers a customer, makes a key, and works with it. */
export async function journey(baseUrl: string): Promise<Journey> {
  client.setConfig({ baseUrl });
  const { data: account } = await gateway.registerTenant({ body: ACCOUNT, throwOnError: true });
  client.setConfig({ baseUrl, auth: account.accessToken });
  await gateway.topUpManually({ body: { amount_rub: 50 }, throwOnError: true });
  const managed = { ...(await prompts()), ...(await failures()) };
  const { data: created } = await gateway.createApiKey({
    body: { name: 'generated', keyType: 'service' },
    throwOnError: true,
  });
  client.setConfig({ baseUrl, auth: created.key });
  const { data: funds } = await gateway.getBalance({ throwOnError: true });
  const called = { ...(await calls()), ...(await streamed()) };
  return { role: account.user.role, balanceRub: funds.balance_rub, ...managed, ...called };
}

const ACCOUNT = {
  email: 'generated@romashka.example',
  password: 'correct horse battery',
  organization: 'Generated',
};

/** Creates a thing, reads it by its id, and finds it in the list. */
async function prompts() {
  const body = { prompt_key: 'support.reply', owner_team: 'support' };
  const { data: made } = await gateway.createPrompt({ body, throwOnError: true });
  const { data: prompt } = await gateway.getPrompt({ path: { id: made.id }, throwOnError: true });
  const { data: page } = await gateway.listPrompts({ query: { limit: 5 }, throwOnError: true });
  return { prompt, prompts: page.data.map(({ prompt_key }) => prompt_key) };
}

/** What is refused comes as the one envelope, whatever the operation. */
async function failures() {
  const { error: refused } = await gateway.createPrompt({
    body: { prompt_key: '', owner_team: 'support' },
  });
  const { error: unknown } = await gateway.getPrompt({
    path: { id: '01977c2a-5b1e-7010-8000-3f2b9c4d5e6f' },
  });
  if (!refused || !unknown) throw new Error('both had to fail');
  return { refused, unknown: unknown.error.code };
}

const CHAT = {
  model: 'sandbox/gw-mini',
  messages: [{ role: 'user' as const, content: 'Как проверить контрагента?' }],
  max_tokens: 50,
};

async function calls() {
  const { data: answer } = await gateway.createChatCompletion({ body: CHAT, throwOnError: true });
  if (answer.object !== 'chat.completion') throw new Error('a whole answer was asked for');
  const { data: vectors } = await gateway.createEmbeddings({
    body: { model: 'sandbox/gw-embed', input: 'Договор поставки' },
    throwOnError: true,
  });
  const { data: models } = await gateway.listModels({ throwOnError: true });
  return {
    said: answer.choices[0]?.message.content,
    costRub: answer.gw_routing.cost_rub,
    vectorLength: vectors.data[0]?.embedding?.length ?? 0,
    hasModel: models.data.some(({ id, kind }) => id === CHAT.model && kind === 'model'),
  };
}

/** The objects of a stream, each a typed chunk. */
async function streamed() {
  const { stream } = await client.sse.post<gateway.ChatCompletionChunk>({
    url: '/v1/chat/completions',
    security: [{ scheme: 'bearer', type: 'http' }],
    headers: { 'Content-Type': 'application/json' },
    body: { ...CHAT, stream: true },
  });
  const chunks: string[] = [];
  for await (const chunk of stream as AsyncIterable<gateway.ChatCompletionChunk | string>) {
    if (typeof chunk === 'object') chunks.push(chunk.object);
  }
  return { chunks };
}
