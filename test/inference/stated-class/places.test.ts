import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import type { ProvidedApp } from '../../support/provided-app.js';
import { type Body, EMBED_INSIDE, EMBED_OUTSIDE, INSIDE, OUTSIDE, startWorld } from './world.js';

let app: ProvidedApp;
let customer: Customer;
beforeAll(async () => {
  app = await startWorld();
  customer = await newCustomer(app, 500);
});
afterAll(() => app?.stop());

const CHAT = { model: 'gw:auto', max_tokens: 50, messages: [{ role: 'user', content: 'Привет' }] };
const EMBEDDING = { model: 'gw:auto', input: 'Привет' };
const VOICES = [
  ['chat', '/v1/chat/completions', CHAT, INSIDE, OUTSIDE],
  ['embeddings', '/v1/embeddings', EMBEDDING, EMBED_INSIDE, EMBED_OUTSIDE],
] as const;

interface Fault {
  readonly path: string;
}
interface Answered {
  readonly model?: string;
  readonly gw_firewall?: { readonly data_class: string; readonly data_class_sources: object[] };
  readonly error?: { readonly code: string; readonly faults?: readonly Fault[] };
}

/** An answer to a body as its bytes are written. */
async function sent(path: string, body: string, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}${path}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${customer.key}`,
      'content-type': 'application/json',
      ...headers,
    },
    body,
  });
  return { status: response.status, body: (await response.json()) as Answered };
}

/** A case with its headers, none where it names none. */
const withHeaders = ([place, more, headers = {}]: (typeof PLACES)[number]) =>
  [place, more, headers] as const;

const ask = (path: string, body: Body, headers?: Record<string, string>) =>
  sent(path, JSON.stringify(body), headers);

/** What states C4 in some place, by the body and the headers that it adds. */
const PLACES: readonly (readonly [place: string, body: Body, headers?: Record<string, string>])[] =
  [
    ['metadata.data_class', { metadata: { data_class: 'C4' } }],
    ['metadata.dataClass', { metadata: { dataClass: 'C4' } }],
    ['data_class', { data_class: 'C4' }],
    ['dataClass', { dataClass: 'C4' }],
    ['a header', {}, { 'x-gw-data-class': 'C4' }],
    ['several headers', {}, { 'x-gw-data-class': 'C0, C4 , C1' }],
    [
      'many places, the highest in one of them',
      { data_class: 'C1', dataClass: 'C4', metadata: { data_class: 'C0', dataClass: 'C2' } },
      { 'x-gw-data-class': 'C3' },
    ],
  ];

describe.each(VOICES)(
  'a class that a request of %s states',
  (_name, path, body, inside, outside) => {
    it.each(PLACES.map(withHeaders))(
      'in %s holds, and is no member for providers',
      async (_place, more, headers) => {
        const before = app.double.received('inside').length;
        const answer = await ask(path, { ...body, ...more }, headers);
        expect(answer).toMatchObject({
          status: 200,
          body: {
            model: inside,
            gw_firewall: { data_class: 'C4', data_class_sources: [{ source: 'request' }, {}] },
          },
        });
        expect(app.double.received('inside').length).toBe(before + 1);
        const received = JSON.stringify(app.double.received('inside').at(-1)?.body);
        expect(received).not.toMatch(/"data_?class"/i);
        expect((await ask(path, body)).body.model).toBe(outside);
      },
    );

    const wrong: readonly (readonly [
      path: string,
      more: Body,
      headers?: Record<string, string>,
    ])[] = [
      ['data_class', { data_class: 'C5' }],
      ['data_class', { data_class: 4 }],
      ['dataClass', { dataClass: ['C4'] }],
      ['metadata.dataClass', { metadata: { dataClass: 'c4' } }],
      ['DataClass', { DataClass: 'C4' }],
      ['data-class', { 'data-class': 'C4' }],
      ['gw_data_class', { gw_data_class: 'C4' }],
      ['metadata.gw_data_class', { metadata: { gw_data_class: 'C4' } }],
      ['metadata.data_class_min', { metadata: { data_class_min: 'C4' } }],
      ['metadata.gw.data_class', { metadata: { gw: { data_class: 'C4' } } }],
      ['metadata.rows.0.dataClass', { metadata: { rows: [{ dataClass: 'C4' }] } }],
      ['extra_body.metadata.data_class', { extra_body: { metadata: { data_class: 'C4' } } }],
      ['extra_headers.x-gw-data-class', { extra_headers: { 'x-gw-data-class': 'C4' } }],
      ['messages.0.data_class', { messages: [{ role: 'user', content: 'a', data_class: 'C4' }] }],
      ['header x-gw-data-class', {}, { 'x-gw-data-class': 'secret' }],
      ['header x-gw-data-class', {}, { 'x-gw-data-class': 'C4, secret' }],
      ['header x-gw-data-class', {}, { 'x-gw-data-class': '' }],
      ['header x-data-class', {}, { 'x-data-class': 'C4' }],
      ['header data-class', {}, { 'data-class': 'C4' }],
    ];
    it.each(wrong.map(withHeaders))(
      'as %s %j %j is refused by that name before anything is held',
      async (place, more, headers) => {
        const before = app.double.log.length;
        const answer = await ask(path, { ...body, ...more }, headers);
        expect([answer.status, answer.body.error?.code]).toEqual([400, 'invalid_request']);
        expect(answer.body.error?.faults?.map((fault) => fault.path)).toEqual([place]);
        expect(app.double.log.length).toBe(before);
      },
    );

    it('in a member that the bytes hold twice is refused by its name', async () => {
      const rest = JSON.stringify(body).slice(1);
      const before = app.double.log.length;
      for (const [place, members] of [
        ['metadata', '"metadata":{"data_class":"C4"},"metadata":{"feature":"a"},'],
        ['metadata', '"metadata":{"data_class":"C4"},"m\\u0065tadata":{},'],
        ['metadata.data_class', '"metadata":{"data_class":"C4","data_class":"C0"},'],
        ['data_class', '"data_class":"C4","data\\u005fclass":"C0",'],
      ] as const) {
        const answer = await sent(path, `{${members}${rest}`);
        expect([members, answer.status]).toEqual([members, 400]);
        expect(answer.body.error?.faults?.map((fault) => fault.path)).toEqual([place]);
      }
      expect(app.double.log.length).toBe(before);
      const once = `{"metadata":{"data_class":"C4","note":"\\u0061 \\"metadata\\""},${rest}`;
      expect(await sent(path, once)).toMatchObject({ status: 200, body: { model: inside } });
    });
  },
);

it('faults of headers and of the body are named at once, and null states nothing', async () => {
  const [, path] = VOICES[0];
  const bad = await ask(path, { ...CHAT, n: 'x', data_class: 'X' }, { 'x-gw-data-class': 'Y' });
  expect(bad.body.error?.faults?.map((fault) => fault.path)).toEqual([
    'header x-gw-data-class',
    'n',
    'data_class',
  ]);
  const nothing = await ask(path, { ...CHAT, data_class: null, DataClass: null });
  expect(nothing.body).toMatchObject({ model: OUTSIDE, gw_firewall: { data_class: 'C0' } });
});

it('the header holds over GraphQL, where a wrong one is refused by its name', async () => {
  const query = `mutation($input: ChatInput!) {
    chatComplete(input: $input) { gwRouting { model } }
  }`;
  const input = {
    model: 'gw:auto',
    maxTokens: 50,
    messages: [{ role: 'user', content: 'Привет' }],
  };
  const send = (value: string) =>
    rest<{ data: unknown; errors?: { extensions: { faults?: Fault[] } }[] }>(
      app,
      'POST',
      '/graphql',
      {
        credential: customer.key,
        headers: { 'x-gw-data-class': value },
        body: { query, variables: { input } },
      },
    );
  expect((await send('C3')).body.data).toEqual({ chatComplete: { gwRouting: { model: INSIDE } } });
  const [error] = (await send('C9')).body.errors ?? [];
  expect(error?.extensions.faults?.map(({ path }) => path)).toEqual(['header x-gw-data-class']);
  const { errors } = await graphql(
    app,
    'mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }',
    { input: { ...CHAT, data_class: 'C4', model: OUTSIDE } },
    customer.key,
  );
  expect(errors?.[0]?.extensions.code).toBe('data_route_forbidden');
  const other = await newCustomer(app, 500);
  const { key: credential } = other;
  const plain = await rest<Answered>(app, 'POST', VOICES[0][1], { credential, body: CHAT });
  expect([plain.status, plain.body.model]).toEqual([200, OUTSIDE]);
});
