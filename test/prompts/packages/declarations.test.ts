import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, startApp, type TestApp } from '../../support/app.js';
import { Asking } from './asking.js';
import { freshKey } from './samples.js';

let app: TestApp;
let customer: Customer;
let owner: Asking;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
  owner = new Asking(app, customer.token);
});
afterAll(() => app?.stop());

describe('what a version declares', () => {
  it('takes variables and models by name or as objects, variables also in one object', async () => {
    const written = (more: object) =>
      owner.post('', { prompt_key: freshKey(), template: 'Hello {{ name }}', ...more });
    const declared = async (more: object) => {
      const { body } = await written(more);
      const [said] = body.versions as unknown as Readonly<Record<string, unknown>>[];
      const { variables, model_variants, content_hash } = said ?? {};
      return { variables, model_variants, content_hash };
    };
    const name = { name: 'name', type: 'string', required: true };
    const bare = { description: null, default: null, trusted: null };
    const model = 'sandbox/gw-mini';
    const unset = { temperature: null, max_tokens: null, weight: 1 };
    const first = await declared({ variables: ['name'], model_variants: [model] });
    expect(first).toEqual({
      variables: [{ ...name, ...bare }],
      model_variants: [{ name: model, model, ...unset }],
      content_hash: expect.any(String),
    });
    const objects = { variables: [name], model_variants: [{ model }] };
    expect(await declared(objects)).toEqual(first);
    for (const variables of [{ name: 'string' }, { name: null }, { name: { required: true } }]) {
      expect(await declared({ variables, model_variants: [model] })).toEqual(first);
    }
  });

  it.each([
    [{ variables: { name: 'strin' } }, 'variables.name.type', 'Did you mean string?'],
    [{ variables: { name: 5 } }, 'variables.name', 'must be an object or a text'],
    [{ variables: { name: { default: 5 } } }, 'variables.name.default', 'of the type string'],
    [{ variables: { name: {}, '1a': {} } }, 'variables.1a.name', 'not beginning with a digit'],
    [{ variables: [5] }, 'variables.0', 'must be a text or an object'],
    [{ variables: [{}] }, 'variables.0.name', 'is required'],
    [{ model_variants: [{}] }, 'model_variants.0.model', 'is required'],
    [
      { model_variants: [{ model: 'm', max_token: 5 }] },
      'model_variants.0.max_token',
      'Did you mean `max_tokens`?',
    ],
  ])('%j is refused as the caller wrote it', async (more, path, message) => {
    const { status, body } = await owner.post('', {
      prompt_key: freshKey(),
      template: 'Be kind.',
      ...more,
    });
    expect([status, body.error.param]).toEqual([400, path]);
    expect(body.error.message).toContain(message);
  });

  it('refuses unknown members of variables and variants by their names', async () => {
    const answer = await owner.post('', {
      prompt_key: freshKey(),
      template: 'Hello {{ name }}',
      variables: [{ name: 'name', label: 'x' }],
      model_variants: [{ model: 'sandbox/gw-mini', colour: 5 }],
    });
    const { faults } = answer.body.error as unknown as { faults: { path: string }[] };
    expect([answer.status, faults.map(({ path }) => path)]).toEqual([
      400,
      ['variables.0.label', 'model_variants.0.colour'],
    ]);
  });

  it('has types in GraphQL, on the way in and on the way out', async () => {
    const mutation = `mutation($input: PromptCreateInput!) {
      promptCreate(input: $input) { recentVersions {
        variables { name type required description default trusted }
        modelVariants { name model temperature maxTokens weight }
      } }
    }`;
    const input = {
      promptKey: freshKey(),
      template: 'Hello {{ points }}',
      variables: [{ name: 'points', type: 'array', default: [1, { a: null }] }],
      modelVariants: [{ model: 'sandbox/gw-mini', name: 'short', maxTokens: 40, weight: 2 }],
    };
    const { data, errors } = await graphql(app, mutation, { input }, customer.token);
    expect(errors).toBeUndefined();
    expect(data.promptCreate).toEqual({
      recentVersions: [
        {
          variables: [
            {
              name: 'points',
              type: 'array',
              required: true,
              description: null,
              default: [1, { a: null }],
              trusted: null,
            },
          ],
          modelVariants: [
            {
              name: 'short',
              model: 'sandbox/gw-mini',
              temperature: null,
              maxTokens: 40,
              weight: 2,
            },
          ],
        },
      ],
    });
  });
});
