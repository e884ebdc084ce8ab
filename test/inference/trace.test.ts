import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { INSIDE, type RoutedApp, startRoutedApp } from '../journeys/providers.js';
import { type Customer, newCustomer, rest } from '../support/app.js';

let app: RoutedApp;
let customer: Customer;
beforeAll(async () => {
  app = await startRoutedApp();
  customer = await newCustomer(app, 1_000);
});
afterAll(() => app?.stop());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const GIVEN = `00-${TRACE}-00f067aa0ba902b7-01`;
const BODY = { model: INSIDE, messages: [{ role: 'user', content: 'x' }] };
const CHAT = 'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }';

const VOICES = [
  ['POST', '/v1/chat/completions', BODY],
  ['POST', '/graphql', { query: CHAT, variables: { input: BODY } }],
] as const;

it.each(VOICES)('%s %s is logged under its trace and carries it on', async (method, path, body) => {
  const write = vi.spyOn(app.server.services.access, 'write');
  const seen: unknown[] = [];
  try {
    for (const [traceparent, tracestate] of [
      [GIVEN, 'rojo=1, congo=2'],
      [GIVEN, 'no state'],
      ['no trace', 'rojo=1'],
      [`${GIVEN}-more`, undefined],
      [undefined, 'rojo=1'],
    ]) {
      const headers = Object.fromEntries(
        Object.entries({ traceparent, tracestate }).filter(([, value]) => value !== undefined),
      ) as Record<string, string>;
      const answer = await rest(app, method, path, { credential: customer.key, headers, body });
      expect(answer.status).toBe(200);
      await expect.poll(() => write.mock.calls.length).toBe(seen.length + 1);
      const sent = app.double.log.at(-1)?.headers;
      seen.push([write.mock.calls.at(-1)?.[0].traceId, sent?.traceparent, sent?.tracestate]);
    }
  } finally {
    write.mockRestore();
  }
  const none = [undefined, undefined, undefined];
  const carried = expect.stringMatching(new RegExp(`^00-${TRACE}-(?!00f067aa)[0-9a-f]{16}-01$`));
  const states = ['rojo=1, congo=2', undefined];
  const traced = states.map((state) => [TRACE, carried, state]);
  expect(seen).toEqual([...traced, none, none, none]);
});

/** The access line of what is done now. */
async function lineOf(done: () => Promise<unknown>) {
  const write = vi.spyOn(app.server.services.access, 'write');
  try {
    await done();
    await expect.poll(() => write.mock.calls.length).toBe(1);
    return write.mock.calls[0]?.[0];
  } finally {
    write.mockRestore();
  }
}

it.each(VOICES)('%s %s is logged with the code under which it failed', async (method, path) => {
  const input = { ...BODY, model: 'no/such' };
  const body = path === '/graphql' ? { query: CHAT, variables: { input } } : input;
  const line = await lineOf(() => rest(app, method, path, { credential: customer.key, body }));
  expect(line).toMatchObject({ status: 404, code: 'model_not_found' });
  const refused = await lineOf(() => rest(app, method, path, { body }));
  expect(refused).toMatchObject({ status: 401, code: 'missing_credential' });
});

it('a stream that breaks after its first byte is logged with its code', async () => {
  app.double.script('inside', { cutAfter: 2 }, {});
  const body = { ...BODY, stream: true };
  const ask = () => rest(app, 'POST', '/v1/chat/completions', { credential: customer.key, body });
  expect(await lineOf(ask)).toMatchObject({ status: 200, code: 'stream_cut' });
  expect(await lineOf(ask)).toMatchObject({ status: 200, code: undefined });
});
