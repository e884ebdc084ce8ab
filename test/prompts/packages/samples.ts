import { type Customer, graphql, rest, type TestApp } from '../../support/app.js';

/** A version whose gate passes with a warning at most. */
export const VERSION = {
  template: '[system]\nReply in {{ language }}.\n[user]\n<letter>\n{{ letter }}\n</letter>',
  variables: [
    { name: 'language', trusted: true, default: 'Russian' },
    { name: 'letter', trusted: false },
  ],
  output_schema: {
    type: 'object',
    properties: { reply: { type: 'string' } },
    required: ['reply'],
    additionalProperties: false,
  },
  model_variants: [{ model: 'sandbox/gw-mini', max_tokens: 400 }],
  sample_variables: { letter: 'Where is my order?' },
  sample_outputs: [{ reply: 'On its way.' }],
};

let keys = 0;

/** A key that no package has. */
export function freshKey(): string {
  keys += 1;
  return `support.reply-${process.pid}-${keys}`;
}

/** A package over REST, with a first version unless another body is given. */
export async function newPrompt(
  app: Pick<TestApp, 'url'>,
  credential: string,
  body: Readonly<Record<string, unknown>> = VERSION,
): Promise<string> {
  const answer = await rest<{ id: string }>(app, 'POST', '/v1/gw/prompts', {
    credential,
    body: { prompt_key: freshKey(), ...body },
  });
  if (answer.status !== 200) throw new Error(JSON.stringify(answer.body));
  return answer.body.id;
}

/** Calls of every mutation of prompt packages, each of which succeeds. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  const run = async (query: string, variables: Record<string, unknown>, token: string) => {
    const { data, errors } = await graphql(app, query, variables, token);
    if (errors) throw new Error(JSON.stringify(errors));
    return data;
  };
  return {
    promptCreate: ({ token }) =>
      run(
        'mutation($key: String!) { promptCreate(input: { promptKey: $key }) { id } }',
        { key: freshKey() },
        token,
      ),
    promptVersionCreate: async ({ token }) =>
      run(
        `mutation($id: ID!) {
          promptVersionCreate(promptId: $id, input: { template: "Be kind." }) { id }
        }`,
        { id: await newPrompt(app, token, {}) },
        token,
      ),
    promptTest: async ({ token }) =>
      run(
        'mutation($id: ID!) { promptTest(id: $id) { id } }',
        { id: await newPrompt(app, token) },
        token,
      ),
    promptPromote: async ({ token }) =>
      run(
        'mutation($id: ID!) { promptPromote(id: $id) { id } }',
        { id: await newPrompt(app, token) },
        token,
      ),
    promptRollback: async ({ token }) => {
      const id = await newPrompt(app, token);
      await rest(app, 'POST', `/v1/gw/prompts/${id}/versions`, {
        credential: token,
        body: { template: 'Be kind.' },
      });
      return run('mutation($id: ID!) { promptRollback(id: $id) { id } }', { id }, token);
    },
  };
}

/** One of each thing of prompt packages, with its id by type name. */
export async function belongingsOf(
  app: TestApp,
  { token }: Customer,
): Promise<Record<string, string>> {
  const id = await newPrompt(app, token);
  const { data } = await graphql<{
    prompt: { recentVersions: { id: string }[]; lifecycle: { history: { id: string }[] } };
  }>(
    app,
    'query($id: ID!) { prompt(id: $id) { recentVersions { id } lifecycle { history { id } } } }',
    { id },
    token,
  );
  const { recentVersions, lifecycle } = data.prompt;
  return {
    Prompt: id,
    PromptVersion: recentVersions[0]?.id ?? '',
    PromptEvent: lifecycle.history[0]?.id ?? '',
  };
}
