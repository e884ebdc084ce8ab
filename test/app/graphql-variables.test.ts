import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { rest, type ShownError, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

const CREATE =
  'mutation($input: WebhookEndpointCreateInput!) { webhookEndpointCreate(input: $input) { id } }';

/** Asks without a credential: variables are read before anybody is known. */
function create(input: unknown) {
  const body = { query: CREATE, variables: { input } };
  return rest<{ errors: readonly ShownError[] }>(app, 'POST', '/graphql', { body });
}

describe('variables that are wrong', () => {
  it('are told what is wrong with them, every fault by itself', async () => {
    const { status, body } = await create({ url: 7, uurl: 'https://example.com' });
    expect(status).toBe(400);
    expect(body.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining('String cannot represent a non string value: 7'),
      expect.stringContaining('Field "uurl" is not defined'),
    ]);
    expect(new Set(body.errors.map(({ extensions }) => extensions.code))).toEqual(
      new Set(['graphql_invalid']),
    );
  });

  it('throughout make neither work nor an answer of the square of their size', async () => {
    const names = Array.from({ length: 2_500 }, (_, index) => [`wrong_${index}`, index]);
    const { status, body } = await create({
      url: 'https://example.com',
      ...Object.fromEntries(names),
    });
    expect(status).toBe(400);
    // Twenty faults, and that there are more.
    expect(body.errors).toHaveLength(21);
    expect(body.errors[0]?.message).toMatch(/^Variable "\$input" got invalid value .* … /);
    expect(JSON.stringify(body).length).toBeLessThan(40_000);
    expect((await rest(app, 'GET', '/livez')).status).toBe(200);
  });
});
