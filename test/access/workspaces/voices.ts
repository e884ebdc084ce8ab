import { type graphql, rest, type TestApp } from '../../support/app.js';

/** Where and as whom a request is made. */
export interface Speaking {
  readonly at: Pick<TestApp, 'url'>;
  readonly credential: string;
  /** The header `x-gw-workspace`. */
  readonly header?: string | undefined;
  readonly metadata?: Readonly<Record<string, unknown>>;
}

type Voice = (speaking: Speaking) => Promise<string>;

const CHAT = {
  model: 'sandbox/gw-mini',
  messages: [{ role: 'user', content: 'Да или нет?' }],
  max_tokens: 5,
} as const;

function headersOf({ header }: Speaking): Record<string, string> {
  return header === undefined ? {} : { 'x-gw-workspace': header };
}

function posted(path: string, body: object): Voice {
  return async (speaking) => {
    const { at, credential, metadata } = speaking;
    const whole = metadata ? { ...body, metadata } : body;
    const headers = headersOf(speaking);
    return codeIn(await rest<unknown>(at, 'POST', path, { credential, body: whole, headers }));
  };
}

/** The status with the code of the error, if any, wherever an answer holds it. */
function codeIn({ status, body }: { readonly status: number; readonly body: unknown }): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const code = /"code":"([a-z_]+)"/.exec(text)?.[1];
  return code === undefined ? String(status) : code;
}

const SUBSCRIPTION =
  'subscription($input: ChatCompletionRequest!) { chatCompletionStream(input: $input) }';
const MUTATION = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

/** Every way to ask a model. Each answers `200`, or the code that it was refused with. */
export const VOICES: Readonly<Record<string, Voice>> = {
  chat: posted('/v1/chat/completions', CHAT),
  stream: posted('/v1/chat/completions', { ...CHAT, stream: true }),
  embeddings: posted('/v1/embeddings', { model: 'sandbox/gw-embed', input: 'Да' }),
  mutation: async (speaking) => {
    const { at, credential, metadata } = speaking;
    const input = metadata ? { ...CHAT, metadata } : CHAT;
    const body = { query: MUTATION, variables: { input } };
    const headers = headersOf(speaking);
    return codeIn(await rest<unknown>(at, 'POST', '/graphql', { credential, body, headers }));
  },
  subscription: async (speaking) => {
    const { at, credential, metadata } = speaking;
    const input = { ...CHAT, stream: true, ...(metadata && { metadata }) };
    const body = { query: SUBSCRIPTION, variables: { input } };
    const headers = { accept: 'text/event-stream', ...headersOf(speaking) };
    return codeIn(await rest<unknown>(at, 'POST', '/graphql', { credential, body, headers }));
  },
};

/** What each way of asking a model is answered. */
export async function inEveryVoice(speaking: Speaking): Promise<Record<string, string>> {
  const answers: Record<string, string> = {};
  for (const [name, voice] of Object.entries(VOICES)) answers[name] = await voice(speaking);
  return answers;
}

/** The same answer in every voice. */
export function all(answer: string): Record<string, string> {
  return Object.fromEntries(Object.keys(VOICES).map((name) => [name, answer]));
}

/** The code with which a GraphQL operation was refused. */
export async function refusedWith(
  asking: ReturnType<typeof graphql<unknown>>,
): Promise<string | undefined> {
  return (await asking).errors?.[0]?.extensions.code;
}
