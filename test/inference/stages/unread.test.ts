import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { CONTENTS } from '../../../src/kernel/firewall/contents.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { REFERENCES } from '../../../src/records/references.js';
import { customerUnder, type ErrorBody, outcome } from '../../journeys/people.js';
import { type Customer, graphql, newCustomer, rest } from '../../support/app.js';
import { CHAT, EMBED, startMediaApp } from '../../support/media-app.js';
import type { ProvidedApp } from '../../support/provided-app.js';

let app: ProvidedApp;
let plain: Customer;
beforeAll(async () => {
  app = await startMediaApp();
  plain = await newCustomer(app, 500);
});
afterAll(() => app.stop());

const PNG = `iVBORw0KGgo${'Ab9+'.repeat(40)}A`;
const PDF = Buffer.from(`%PDF-1.7\n${'1 0 obj << /Length 44 >> stream\n'.repeat(5)}`);
const TEXT = Buffer.from('Обычные слова без чисел. '.repeat(5)).toString('base64');
const svg = (inner: string) =>
  `data:image/svg+xml;base64,${Buffer.from(`<svg>${inner}</svg>`.padEnd(99)).toString('base64')}`;
const file = (members: object) => ({ type: 'file', file: members });

/** A part of a message that nothing reads, by its kind. */
const UNREAD: readonly (readonly [kind: string, what: string, part: object])[] = [
  ['image', 'bytes', { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } }],
  ['image', 'an address', { type: 'image_url', image_url: { url: 'https://a.example/scan.png' } }],
  ['image', 'a drawing', { type: 'image_url', image_url: { url: svg('<path d="M0 0"/>') } }],
  ['audio', 'bytes', { type: 'input_audio', input_audio: { data: PNG, format: 'wav' } }],
  ['video', 'an address', { type: 'video_url', video_url: { url: 'https://a.example/v.mp4' } }],
  ['file', 'a PDF', file({ file_data: `data:application/pdf;base64,${PNG}` })],
  ['file', 'a PDF of letters', file({ file_data: PDF.toString('base64') })],
  ['file', 'an id', file({ file_id: 'file-abc' })],
  ['file', 'a part of an unknown type', { type: 'scan_ref', file_id: 'file-abc' }],
  ['sealed', 'a signature', { type: 'thinking', thinking: 'a', signature: PNG }],
];

const READ: readonly (readonly [what: string, part: object])[] = [
  ['a text', { type: 'text', text: 'Добрый день' }],
  ['a text file', file({ file_data: `data:text/plain;base64,${TEXT}`, filename: 'a.txt' })],
  [
    'a drawing of words',
    { type: 'image_url', image_url: { url: svg('<text>Добрый день</text>') } },
  ],
];

const CREATE = `mutation($input: ChatCompletionRequest!) { chatCompletionCreate(input: $input) }`;

const bodyOf = (part: object, model = 'gw:auto') => ({
  model,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Что здесь?' }, part] }],
});

const URL = 'https://a.example/scan.png';
const BYTES = Array.from(Buffer.from(PNG).subarray(0, 40));
const HEX = Buffer.from(PNG).toString('hex');
const NO_MAGIC = Buffer.from(Array.from({ length: 99 }, (_, at) => (at * 89 + 7) % 256)).toString(
  'base64',
);
const IMAGE_PART = { type: 'image_url', image_url: { url: URL } };
const inContent = (part: object) => bodyOf(part, CHAT.outside);
const inMessage = (members: object) => ({
  model: CHAT.outside,
  messages: [{ role: 'user', content: 'Что здесь?', ...members }],
});
const inBody = (members: object) => ({ ...inMessage({}), ...members });
const inEmbeddings = (members: object) => ({ model: EMBED.outside, input: 'слово', ...members });

/** Content that stands where the wire has none. */
const MISPLACED: readonly (readonly [what: string, body: object])[] = [
  ...[
    { type: 'text', text: 'a', image_url: { url: URL } },
    { type: 'text', text: 'a', file: { file_id: 'file-1' } },
    { type: 'text', text: 'a', source: { type: 'url', url: URL } },
    { type: 'refusal', refusal: 'a', image_url: { url: URL } },
    { type: 'tool_result', content: { type: 'image', source: { type: 'url', url: URL } } },
    { type: 'tool_result', output: [{ type: 'input_image', image_url: URL }] },
    { type: 'text', text: 'a', parts: [IMAGE_PART] },
    { type: 'text', text: 'a', metadata: { parts: [[IMAGE_PART]] } },
    { type: 'blob', bytes: BYTES },
    { type: 'blob', bytes: BYTES.map((byte) => [byte]) },
    { type: 'blob', blob: NO_MAGIC },
    { type: 'blob', hex: HEX },
    { type: 'doc', href: URL },
    { type: 'img', src: URL },
    { type: 'doc', document_id: 'doc-1' },
    { type: 'doc', attachment: 'att-1' },
    { type: 'doc', document_id: 17 },
    { type: 'doc', document: { id: 'doc-1' } },
  ].map((part) => [`the part ${JSON.stringify(part).slice(0, 80)}`, inContent(part)] as const),
  ...[
    { attachments: [{ file_id: 'file-1' }] },
    { file_ids: ['file-1'] },
    { image_url: URL },
    { image_url: { url: URL } },
    { images: [NO_MAGIC] },
    { images: [PNG] },
    { parts: [IMAGE_PART] },
  ].map((members) => [`${JSON.stringify(members).slice(0, 60)}`, inMessage(members)] as const),
  ...[
    { file_ids: ['file-1'] },
    { attachments: ['file-1'] },
    { images: [PNG] },
    { previous_response_id: 'resp_1' },
    { conversation: { id: 'conv_1' } },
    { conversation: { id: 17 } },
    { conversation: 17 },
    { file_id: 17 },
    { file_ids: [17] },
    { attachments: [{ id: 17 }, { id: 18 }] },
    { documents: [{ id: 'doc-1' }] },
    { prompt_token_ids: [4474, 1742, 132_294] },
    { input: [4474, 1742, 132_294] },
    { input: [[4474, 1742, 132_294], 'a'] },
    { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] },
    { tools: [{ type: 'mcp', server_label: 'a', server_url: URL }] },
  ].map(
    (members) => [`the body's ${JSON.stringify(members).slice(0, 60)}`, inBody(members)] as const,
  ),
  ...[
    { tokens: [4474, 1742, 132_294] },
    { inputs: [4474, 1742, 132_294] },
    { prompt: [[4474, 1742, 132_294]] },
    { images: [PNG] },
    { image: NO_MAGIC },
  ].map(
    (members) =>
      [`the embeddings' ${JSON.stringify(members).slice(0, 60)}`, inEmbeddings(members)] as const,
  ),
];

const DIGEST = 'a1'.repeat(32);
const SCHEMA = {
  type: 'object',
  properties: {
    url: { type: 'string', enum: [URL], default: URL },
    file_id: { const: 'file-1', examples: ['file-1'] },
    size: { enum: [1, 2, 3, 4], default: [1, 2, 3] },
    part: { type: 'object', properties: { images: { default: 'a' } } },
  },
};
const CALL = { name: 'open', arguments: JSON.stringify({ url: URL, sizes: [1, 2, 3] }) };

/** What ordinary requests hold, though it looks like a reference or like bytes. */
const ORDINARY: readonly (readonly [what: string, members: object])[] = [
  [
    'a tool with a schema',
    { tools: [{ type: 'function', function: { name: 'f', parameters: SCHEMA, strict: true } }] },
  ],
  ['a function with a schema', { functions: [{ name: 'f', parameters: SCHEMA }] }],
  [
    'biases, stops and labels',
    { logit_bias: { 50256: -100 }, stop: ['a'], metadata: { url: URL } },
  ],
  ['a prediction', { prediction: { type: 'content', content: [{ type: 'text', text: 'a' }] } }],
  ['efforts', { reasoning_effort: 'low', reasoning: { effort: 'low', max_tokens: 100 } }],
  ['labels that name things by number', { metadata: { file_id: 17, document: { id: 'a' } } }],
  ['hashes of users', { user: DIGEST, safety_identifier: DIGEST, prompt_cache_key: NO_MAGIC }],
  ['tokens to stop at', { stop_token_ids: [1, 2, 3], temperature: 0.5, top_p: 1, n: 1 }],
  [
    'a conversation with calls, reasoning and cached parts',
    {
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'a', cache_control: { type: 'x' } }] },
        {
          role: 'assistant',
          content: 'a',
          reasoning_content: 'Думаю',
          reasoning_details: [{ type: 'reasoning.text', text: 'Думаю', index: 0 }],
          annotations: [{ type: 'url_citation', url_citation: { url: URL, title: 'a' } }],
          tool_calls: [{ id: 'call_1', type: 'function', function: CALL }],
        },
        { role: 'tool', tool_call_id: 'call_1', content: `{"url":"${URL}","ids":[1,2,3]}` },
        { role: 'user', content: [{ type: 'text', text: `Смотрите ${URL}` }] },
      ],
    },
  ],
];

interface Answered {
  readonly model: string;
  readonly gw_firewall: { readonly data_class: string; readonly unread: unknown };
}

function ask(customer: Customer, part: object, more: object = {}, model?: string) {
  return rest<Answered & ErrorBody>(app, 'POST', '/v1/chat/completions', {
    credential: customer.key,
    body: { ...bodyOf(part, model), ...more },
  });
}

const callsOutside = () => app.double.received('outside').length;

describe.each(UNREAD)('content of the kind %s (%s)', (kind, _what, part) => {
  it('stays inside Russia where no policy names it, and is never C0', async () => {
    const calls = callsOutside();
    const answer = await ask(plain, part);
    expect(answer.body).toMatchObject({
      model: CHAT.inside,
      gw_firewall: {
        verdict: 'pass',
        data_class: 'C3',
        findings: [],
        unread: [{ kind, count: 1, policy: 'rf_only' }],
      },
    });
    const named = await ask(plain, part, {}, CHAT.outside);
    expect(outcome(named)).toBe('403 data_route_forbidden');
    expect(named.body.error.message).toContain(`class C3 (not read: ${kind})`);
    const streamed = await ask(plain, part, { stream: true }, CHAT.outside);
    expect(outcome(streamed)).toBe('403 data_route_forbidden');
    const asked = await graphql(app, CREATE, { input: bodyOf(part, CHAT.outside) }, plain.key);
    expect(asked.errors?.[0]?.extensions.code).toBe('data_route_forbidden');
    expect(callsOutside()).toBe(calls);
  });
});

describe.each(READ)('content that is read: %s', (_what, part) => {
  it('is C0 and may leave as the same bytes', async () => {
    const answer = await ask(plain, part);
    expect(answer.body).toMatchObject({
      model: CHAT.outside,
      gw_firewall: { data_class: 'C0', unread: [] },
    });
    const sent = JSON.parse(app.double.received('outside').at(-1)?.body ?? '');
    expect(sent.messages).toEqual(bodyOf(part).messages);
  });
});

describe('content where the wire has none', () => {
  let refusing: Customer;
  beforeAll(async () => {
    const kinds = ['image', 'audio', 'video', 'file', 'sealed', 'tokens'];
    refusing = await customerUnder(app, {
      firewall_unread: Object.fromEntries(kinds.map((kind) => [kind, 'refuse'])),
    });
  });
  const post = ({ key }: Customer, body: object) => {
    const path = 'messages' in body ? '/v1/chat/completions' : '/v1/embeddings';
    return rest<Answered & ErrorBody>(app, 'POST', path, { credential: key, body });
  };

  it.each(MISPLACED)('does not leave Russia unread: %s', async (_what, body) => {
    const calls = callsOutside();
    const outcomes = [await post(plain, body), await post(refusing, body)].map(outcome);
    expect(outcomes).toEqual(['403 data_route_forbidden', '403 content_unread']);
    expect(callsOutside()).toBe(calls);
  });

  it.each(ORDINARY)('is not seen in an ordinary request: %s', async (_what, members) => {
    const answer = await post(refusing, inBody(members));
    expect(answer.body).toMatchObject({ gw_firewall: { data_class: 'C0', unread: [] } });
  });

  it('is not seen in a schema of the answer', () => {
    const json_schema = { name: 'a', schema: SCHEMA };
    const body = inBody({ response_format: { type: 'json_schema', json_schema } });
    expect(inspectRequest(body, DEFAULT_MODES).unread).toEqual([]);
  });
});

describe('the policies of a project', () => {
  const IMAGE = { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } };

  it('refuse a kind with its places, whoever asks in whichever voice', async () => {
    const customer = await customerUnder(app, { firewall_unread: { image: 'refuse' } });
    const calls = app.double.log.length;
    const answer = await ask(customer, IMAGE);
    const streamed = await ask(customer, IMAGE, { stream: true });
    expect([outcome(answer), outcome(streamed)]).toEqual(Array(2).fill('403 content_unread'));
    expect(answer.body.error).toMatchObject({
      param: 'messages.0.content.1',
      gw_firewall: { verdict: 'refused', unread: [{ kind: 'image', count: 1, policy: 'refuse' }] },
    });
    expect(answer.body.error.message).toContain('image in messages.0.content.1');
    const asked = await graphql(app, CREATE, { input: bodyOf(IMAGE) }, customer.key);
    expect(asked.errors?.[0]?.extensions.code).toBe('content_unread');
    expect(app.double.log.length).toBe(calls);
    expect(outcome(await ask(customer, UNREAD[3]?.[2] ?? {}))).toBe('200');
  });

  it('let a kind through as C2, and receipt and usage row say what was not read', async () => {
    const customer = await customerUnder(app, { firewall_unread: { image: 'allow' } });
    const answer = await ask(customer, IMAGE);
    const unread = [{ kind: 'image', count: 1, policy: 'allow' }];
    expect(answer.body).toMatchObject({
      model: CHAT.outside,
      gw_firewall: { data_class: 'C2', unread },
    });
    const sent = JSON.parse(app.double.received('outside').at(-1)?.body ?? '');
    expect(sent.messages).toEqual(bodyOf(IMAGE).messages);
    const { rows } = await app.owner.pool.query(
      `SELECT data_class, metadata -> 'gw_unread' AS unread FROM usage_event WHERE tenant_id = $1`,
      [customer.tenantId],
    );
    expect(rows).toEqual([{ data_class: 'C2', unread: { image: 1 } }]);
  });

  it('agree on the strictest mode that one of them names', async () => {
    const customer = await customerUnder(app, { firewall_unread: { image: 'allow' } });
    const add = (body: object) =>
      rest(app, 'POST', '/v1/gw/policies', { credential: customer.token, body });
    await add({ name: 'silent' });
    expect((await ask(customer, IMAGE)).body.model).toBe(CHAT.outside);
    await add({ name: 'stricter', firewall_unread: { image: 'rf_only' } });
    expect((await ask(customer, IMAGE)).body.model).toBe(CHAT.inside);
    await add({ name: 'strictest', firewall_unread: { image: 'refuse' } });
    expect(outcome(await ask(customer, IMAGE))).toBe('403 content_unread');
  });

  it('of another organization change nothing', async () => {
    const other = await customerUnder(app, {
      firewall_unread: { image: 'allow', audio: 'refuse' },
    });
    expect((await ask(other, IMAGE)).body.model).toBe(CHAT.outside);
    expect((await ask(plain, IMAGE)).body.model).toBe(CHAT.inside);
    expect(outcome(await ask(plain, UNREAD[3]?.[2] ?? {}))).toBe('200');
  });

  it('show what they say, keep what a change leaves out, and refuse unknown modes', async () => {
    const customer = await customerUnder(app, { firewall_unread: { image: 'allow' } });
    const change = (body: object) =>
      rest<Record<string, unknown> & ErrorBody>(
        app,
        'PATCH',
        `/v1/gw/policies/${customer.policyId}`,
        { credential: customer.token, body },
      );
    const none = { image: null, audio: null, video: null, file: null, sealed: null, tokens: null };
    const added = await change({ firewall_unread: { file: 'refuse' } });
    expect(added.body.firewall_unread).toEqual({ ...none, image: 'allow', file: 'refuse' });
    const lifted = await change({ firewall_unread: { image: null } });
    expect(lifted.body.firewall_unread).toEqual({ ...none, file: 'refuse' });
    expect((await change({ firewall_unread: { smell: 'allow' } })).status).toBe(400);
  });
});

describe('the inventory', () => {
  it('is published in both voices as the list that decides', async () => {
    const document = '{ reference(name: "firewall.content") { entries { code } } }';
    const asked = await graphql(app, document, {}, plain.token);
    expect(JSON.stringify(asked)).toContain('answer_vector');
    expect(REFERENCES.named('firewall.content')?.entries).toEqual(CONTENTS.rows);
  });
});
