import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rewriteRequest } from '../../../src/inference/firewall/body-texts.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { Survey } from '../../../src/inference/firewall/survey.js';
import { UNREAD_POSITIONS } from '../../../src/inference/firewall/unread-positions.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import '../../../src/inference/firewall/references.js';
import { REFERENCES } from '../../../src/records/references.js';

const MASKING = { ...DEFAULT_MODES, phone: 'mask', email: 'mask', passport: 'mask' } as const;
const BLOCKING = { ...DEFAULT_MODES, phone: 'block' } as const;
const PHONE = '+79123456789';
const FILE = Buffer.from(`Звоните ${PHONE}. ${'Слова. '.repeat(20)}`).toString('base64');
const PNG = `iVBORw0KGgo${'Ab9+'.repeat(40)}A`;

const user = (...parts: object[]) => ({ messages: [{ role: 'user', content: parts }] });
const said = (members: object) => ({
  messages: [{ role: 'assistant', content: null, ...members }],
});
const withTool = (fn: object) => ({ tools: [{ type: 'function', function: fn }] });
const wrapped = (text: string, levels: number): string =>
  levels === 0 ? text : wrapped(JSON.stringify({ note: text }), levels - 1);

/** Each place of a request from which a text leaves, with the same number in it. */
const PLACES: readonly (readonly [place: string, members: object])[] = [
  ['reasoning_content of an answer before', said({ reasoning_content: `Зовут ${PHONE}` })],
  ['an unknown member of a message', { messages: [{ role: 'user', content: 'a', x: [[PHONE]] }] }],
  ['an input_text part', user({ type: 'input_text', text: PHONE })],
  ['a tool_result part', user({ type: 'tool_result', content: [{ type: 'text', text: PHONE }] })],
  ['a document part', user({ type: 'document', source: { type: 'text', data: PHONE } })],
  ['the name of a file', user({ type: 'file', file: { filename: `${PHONE}.pdf` } })],
  [
    'the address of an image',
    user({ type: 'image_url', image_url: { url: `http://a/?${PHONE}` } }),
  ],
  [
    'the address of an image, spelled by percent',
    user({ type: 'image_url', image_url: { url: 'https://a.example/?phone=%2B79123456789' } }),
  ],
  ['what only pretends to be an image', user({ type: 'x', url: `data:image/png;base64,${PHONE}` })],
  [
    'a file that is a text',
    user({
      type: 'file',
      file: {
        file_data: `data:text/plain;base64,${FILE}`,
      },
    }),
  ],
  [
    'what stands in the middle of an image',
    user({ url: `data:image/png;base64,${PNG} ${PHONE} ${PNG}` }),
  ],
  ['what stands behind an image', user({ data: `${PNG}=${PHONE}` })],
  ['the id of a tool call', said({ tool_calls: [{ id: PHONE, type: 'function' }] })],
  ['the id in a tool message', { messages: [{ role: 'tool', tool_call_id: PHONE, content: '' }] }],
  ['arguments', said({ tool_calls: [{ function: { name: 'f', arguments: `{"a":"${PHONE}"}` } }] })],
  ['an object as arguments', said({ tool_calls: [{ function: { arguments: { to: PHONE } } }] })],
  ['names in arguments', said({ tool_calls: [{ function: { arguments: { [PHONE]: 1 } } }] })],
  ['the arguments of a function_call', said({ function_call: { arguments: `{"${PHONE}":1}` } })],
  ['the input of a custom tool', said({ tool_calls: [{ custom: { name: 'c', input: PHONE } }] })],
  ['the description of a tool', withTool({ name: 'call', description: `Call ${PHONE}` })],
  ['the name of a property', withTool({ parameters: { properties: { [PHONE]: {} } } })],
  ['a default of a schema', withTool({ parameters: { properties: { a: { default: PHONE } } } })],
  ['an example of a schema', withTool({ parameters: { examples: [{ a: [PHONE] }] } })],
  [
    'an enum of the answer',
    { response_format: { type: 'json_schema', json_schema: { schema: { enum: [PHONE] } } } },
  ],
  [
    'a key of the answer',
    { response_format: { json_schema: { schema: { properties: { [PHONE]: {} } } } } },
  ],
  ['the user', { user: PHONE }],
  ['a value of metadata', { metadata: { note: PHONE } }],
  ['a name of metadata', { metadata: { [PHONE]: 'x' } }],
  ['a predicted output', { prediction: { type: 'content', content: `Номер ${PHONE}` } }],
  ['an unknown member of a prediction', { prediction: { type: 'content', hint: PHONE } }],
  ['a stop sequence', { stop: [PHONE] }],
  ['the place of the user', { web_search_options: { user_location: { note: PHONE } } }],
  ['the voice', { audio: { voice: PHONE } }],
  ['a name at the top', { [PHONE]: true }],
  ['a seed that is no number', { seed: PHONE }],
  ['an unknown member at the top', { vendor_extension: { deep: [{ x: PHONE }] } }],
  ['JSON in a text', { messages: [{ role: 'user', content: wrapped(PHONE, 1) }] }],
  ['JSON in JSON in JSON in a text', { messages: [{ role: 'user', content: wrapped(PHONE, 3) }] }],
  ['JSON in a text of metadata', { metadata: { note: wrapped(`a\n${PHONE}`, 3) } }],
  ['escapes in a text', { messages: [{ role: 'user', content: 'Вот: "\\u002b79123456789"' }] }],
  ['a text that is embedded', { input: `Номер ${PHONE}`, messages: undefined }],
  ['texts that are embedded', { input: ['a', `Номер ${PHONE}`], messages: undefined }],
];

function bodyWith(members: object): object {
  return JSON.parse(
    JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'a' }], ...members }),
  );
}

/** A request as it would read: base64 decoded, escapes resolved. */
function read(body: unknown): string {
  const text = JSON.stringify(body)
    .replace(/%2B/g, '+')
    .replace(/\\+u002b/g, '+');
  return text.replace(/base64,([\w+/=]{64,})/g, (_all, data: string) =>
    Buffer.from(data, 'base64').toString(),
  );
}

describe('a number that a person can read', () => {
  it.each(PLACES)('is masked in %s', (_place, members) => {
    const body = bodyWith(members);
    const inspection = inspectRequest(body, MASKING);
    expect(read(inspection.body)).not.toContain(PHONE.slice(1));
    expect(read(inspection.body)).toContain('[[GW_PHONE_1]]');
    expect(inspection).toMatchObject({ verdict: 'masked', dataClass: 'C3' });
  });

  it.each(PLACES)('refuses the request from %s', (_place, members) => {
    const body = bodyWith(members);
    expect(inspectRequest(body, BLOCKING)).toMatchObject({ verdict: 'blocked', body });
  });

  it('is found in any member of any shape, at any depth', () => {
    const shape = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 5 },
        fc.constant(PHONE),
        fc.array(tie('value'), { minLength: 1, maxLength: 2 }),
        fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), tie('value'), { minKeys: 1, maxKeys: 2 }),
      ),
    })).value;
    const name = fc.oneof(
      fc.stringMatching(/^[a-z_]{1,12}$/),
      fc.constantFrom('content', 'arguments', 'input', 'prediction', 'tools', 'id', 'data', 'seed'),
    );
    fc.assert(
      fc.property(name, shape, fc.boolean(), (member, value, isMessage) => {
        fc.pre(member !== 'model' && member !== 'messages' && member !== '__proto__');
        const inMessage = { messages: [{ role: 'user', content: 'a', [member]: value }] };
        const inspection = inspectRequest(
          bodyWith(isMessage ? inMessage : { [member]: value }),
          MASKING,
        );
        expect(JSON.stringify(inspection.body)).not.toContain(PHONE);
        expect(inspection.verdict).toBe('masked');
      }),
    );
  });
});

describe('numbers of JSON', () => {
  it('of nine digits and more are read as the text that they leave as', () => {
    const tool_calls = [
      { function: { name: 'f', arguments: { phone: 79123456789, n: 12345678 } } },
    ];
    const amount = 9_123_456_789.5;
    const body = bodyWith({
      ...said({ tool_calls }),
      metadata: { card: 4111111111111111, amount, account: Number('40702810838000000017') },
    });
    const inspection = inspectRequest(body, { ...MASKING, card: 'mask', bank_account: 'mask' });
    expect(inspection.body).toMatchObject({
      messages: [
        { tool_calls: [{ function: { arguments: { phone: '[[GW_PHONE_1]]', n: 12345678 } } }] },
      ],
      metadata: { card: '[[GW_CARD_1]]', amount, account: '[[GW_BANK_ACCOUNT_1]]' },
    });
    expect(inspectRequest(body, BLOCKING).verdict).toBe('blocked');
  });

  it('that are tokens, a seed or settings stay numbers', () => {
    const tokens = { model: 'm', input: [[99_999_999], [50_256, 2]] };
    expect(inspectRequest(tokens, MASKING).body).toBe(tokens);
    const chat = bodyWith({
      seed: 79123456789,
      max_tokens: 10_000_000,
      logit_bias: { 50256: -100 },
    });
    expect(inspectRequest(chat, MASKING)).toMatchObject({ verdict: 'pass', findings: [] });
    expect(inspectRequest(chat, MASKING).body).toBe(chat);
    const noTokens = bodyWith({ input: [79123456789] });
    expect(inspectRequest(noTokens, MASKING).body).toMatchObject({ input: ['[[GW_PHONE_1]]'] });
  });
});

describe('what stands together', () => {
  it('is judged together: the name of a member says what its value is', () => {
    const metadata = { passport: '4510 123456', inn_number: 1, order: '4510 654321' };
    expect(inspectRequest(bodyWith({ metadata }), MASKING).body).toMatchObject({
      metadata: { passport: '[[GW_PASSPORT_1]]' },
    });
  });

  it('reads the same wherever it stands: ids of calls, required names and their properties', () => {
    const id = `call ${PHONE}`;
    const parameters = {
      type: 'object',
      properties: { [PHONE]: { type: 'string' }, name: { enum: ['a', PHONE] } },
      required: ['name', PHONE],
    };
    const inspection = inspectRequest(
      bodyWith({
        messages: [
          { role: 'assistant', tool_calls: [{ id, type: 'function', function: { name: 'f' } }] },
          { role: 'tool', tool_call_id: id, content: 'ok' },
        ],
        ...withTool({ name: 'f', parameters }),
      }),
      MASKING,
    );
    expect(inspection.body).toMatchObject({
      messages: [
        { tool_calls: [{ id: 'call [[GW_PHONE_1]]' }] },
        { tool_call_id: 'call [[GW_PHONE_1]]' },
      ],
      tools: [
        {
          function: {
            parameters: {
              properties: {
                '[[GW_PHONE_1]]': { type: 'string' },
                name: { enum: ['a', '[[GW_PHONE_1]]'] },
              },
              required: ['name', '[[GW_PHONE_1]]'],
            },
          },
        },
      ],
    });
  });

  it('keeps ids equal even where the words beside one of them tell what it is', () => {
    const metadata = { 'phone of the customer': '9123456789' };
    const tool_call_id = '9123456789';
    const body = bodyWith({ messages: [{ role: 'tool', tool_call_id, content: '' }], metadata });
    expect(inspectRequest(body, MASKING).body).toMatchObject({
      messages: [{ tool_call_id: '[[GW_PHONE_1]]' }],
      metadata: { 'phone of the customer': '[[GW_PHONE_1]]' },
    });
  });
});

describe('what cannot be read', () => {
  it('passes as the same bytes: images, sound and files, and the name of the model', () => {
    const body = bodyWith({
      ...user(
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}`, detail: 'high' } },
        { type: 'input_audio', input_audio: { data: PNG, format: 'wav' } },
        { type: 'file', file: { file_data: `data:application/pdf;base64,${PNG}` } },
      ),
      model: PHONE,
    });
    expect(inspectRequest(body, { ...MASKING, phone: 'block' }).body).toBe(body);
    expect(inspectRequest(body, MASKING).verdict).toBe('pass');
  });

  it('is a published list', () => {
    expect(REFERENCES.named('firewall.unread_position')?.entries).toEqual(UNREAD_POSITIONS);
  });
});

describe('a body that somebody made to be slow', () => {
  it('is refused when it is nested too deep, however deep', () => {
    for (const levels of [200, 100_000]) {
      const deep = JSON.parse(`${'{"a":['.repeat(levels)}1${']}'.repeat(levels)}`);
      expect(() => inspectRequest({ model: 'm', tools: deep }, MASKING)).toThrow(
        'tools is nested more than 128 levels deep.',
      );
    }
  });

  it('of thirty thousand names is read in one go, and written anew once', () => {
    const names = Array.from({ length: 30_000 }, (_, index) => [`k${index}`, `w${index}`]);
    const body = { model: 'm', metadata: Object.fromEntries([...names, ['phone', PHONE]]) };
    const survey = new Survey(MASKING);
    rewriteRequest(body, survey);
    expect({ scans: survey.scans, isMasked: survey.isMasked }).toEqual({
      scans: 1,
      isMasked: true,
    });
    expect(inspectRequest(body, MASKING).body.metadata.phone).toBe('[[GW_PHONE_1]]');
  });

  it('of thirty thousand numbers has each of them masked', () => {
    const numbers = Array.from({ length: 30_000 }, (_, index) => 79_120_000_000 + index);
    const { body } = inspectRequest({ model: 'm', x: numbers }, { ...MASKING, snils: 'mask' });
    expect((body.x as unknown[]).filter((value) => typeof value === 'number')).toEqual([]);
  });
});
