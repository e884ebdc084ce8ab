import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { readChatRequest } from '../../../src/inference/chat/request.js';
import { readEmbeddingsRequest } from '../../../src/inference/embeddings/request.js';
import {
  countChatInput,
  tokenBounds,
  tokensAbout,
  windowTokensAbout,
} from '../../../src/inference/upstream/tokens.js';

const tokenizer = await loadTokenizer();

describe('the tokenizer', () => {
  it('counts as the encoding does', () => {
    expect(tokenizer.count('привет мир')).toBe(3);
    expect(tokenizer.count('')).toBe(0);
    expect(tokenizer.encode('привет мир')).toHaveLength(3);
  });

  it('takes the names of special tokens for text', () => {
    expect(tokenizer.count('<|endoftext|>')).toBeGreaterThan(1);
  });

  it('counts a run without a break in parts, so that its cost is linear', () => {
    expect(tokenizer.count('аб'.repeat(50_000))).toBeGreaterThan(10_000);
  });
});

/** Facts of a model with bounds that tell apart in a sum. */
const MODEL = {
  contextWindow: 1_000_000,
  maxOutputTokens: 1_000,
  imageTokensMax: 20_000,
  imageTokensLowMax: 300,
  audioTokensPerSecondMax: 32,
};

function chat(body: Record<string, unknown>) {
  const whole = { model: 'm', ...body };
  return readChatRequest(whole, Buffer.byteLength(JSON.stringify(whole)));
}

function inputMax(body: Record<string, unknown>, model = MODEL): number {
  return tokenBounds(chat(body), model, undefined).inputTokensMax;
}

function said(...content: unknown[]) {
  return { messages: [{ role: 'user', content }] };
}

const PHOTO = `data:image/jpeg;base64,${Buffer.alloc(500_000, 7).toString('base64')}`;
const image = (url: string, detail?: string) => ({ type: 'image_url', image_url: { url, detail } });
const sound = (bytes: number) => ({
  type: 'input_audio',
  input_audio: { data: Buffer.alloc(bytes).toString('base64'), format: 'mp3' },
});

/** Bytes of a body without what its parts inline. */
function bytesLess(body: Record<string, unknown>, ...inlined: string[]): number {
  const bytes = Buffer.byteLength(JSON.stringify({ model: 'm', ...body }));
  return inlined.reduce((rest, text) => rest - text.length, bytes);
}

describe('the bound of the input', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'system', 'assistant'),
    content: fc.string({ unit: 'grapheme', maxLength: 200 }),
  });
  const part = fc.oneof(
    fc.record({ type: fc.constant('text'), text: fc.string({ unit: 'grapheme' }) }),
    fc.constantFrom(image(PHOTO), image('https://pictures.test/1.png'), image(PHOTO, 'low')),
  );
  const parts = fc.record({
    role: fc.constant('user'),
    content: fc.array(part, { minLength: 1, maxLength: 4 }),
  });

  it('is never below the exact count', () => {
    const given = fc.array(fc.oneof(message, parts), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(given, fc.boolean(), (messages, withTools) => {
        const tools = withTools ? [{ type: 'function', function: { name: 'f' } }] : [];
        const bound = inputMax({ messages, ...(withTools ? { tools } : {}) });
        expect(bound).toBeGreaterThanOrEqual(countChatInput(tokenizer, messages, tools));
      }),
    );
  });

  it('counts an image by the facts of the model, inlined or not, never by its bytes', () => {
    const inlined = said({ type: 'text', text: 'Что это?' }, image(PHOTO));
    expect(inputMax(inlined)).toBe(bytesLess(inlined, PHOTO) + 64 + 20_000);
    const address = said(image('https://pictures.test/1.png'));
    expect(inputMax(address)).toBe(bytesLess(address) + 64 + 20_000);
    const low = said(image(PHOTO, 'low'), image(PHOTO, 'high'));
    expect(inputMax(low)).toBe(bytesLess(low, PHOTO, PHOTO) + 64 + 20_000 + 300);
  });

  it('counts an address that is no image as the text that it may be', () => {
    const text = said(image(`data:text/plain;base64,${'QUJD'.repeat(100)}`));
    expect(inputMax(text)).toBe(bytesLess(text) + 64 + 20_000);
  });

  it('counts inlined sound by its longest duration, and inlined files by their bytes', () => {
    const heard = sound(60_000);
    const audio = said(heard);
    expect(inputMax(audio)).toBe(bytesLess(audio, heard.input_audio.data) + 64 + 60 * 32);
    const data = Buffer.alloc(3_000, 'a').toString('base64');
    const file = said({ type: 'file', file: { filename: 'a.txt', file_data: data } });
    expect(inputMax(file)).toBe(bytesLess(file, data) + 64 + 3_000);
  });

  it('is the window where a part lies elsewhere or is found by the provider', () => {
    expect(inputMax(said({ type: 'file', file: { file_id: 'file-1' } }))).toBe(1_000_000);
    expect(inputMax(said({ type: 'video_url', video_url: { url: 'https://v.test' } }))).toBe(
      1_000_000,
    );
    const searching = { ...said({ type: 'text', text: 'a' }), web_search_options: {} };
    expect(inputMax(searching)).toBe(1_000_000);
  });

  it('never passes the window of a chat, nor the windows of the texts that are embedded', () => {
    const model = { ...MODEL, contextWindow: 50 };
    expect(inputMax(said({ type: 'text', text: 'a' }), model)).toBe(50);
    const body = { model: 'm', input: ['a'.repeat(90), 'b'.repeat(90), 'c'] };
    const request = readEmbeddingsRequest(body, Buffer.byteLength(JSON.stringify(body)));
    expect(tokenBounds(request, model, undefined).inputTokensMax).toBe(150);
  });
});

describe('the bound of the output', () => {
  const output = (body: Record<string, unknown>, cap?: number) =>
    tokenBounds(chat({ ...said({ type: 'text', text: 'a' }), ...body }), MODEL, cap)
      .outputTokensMax;

  it('is the least of request, model and policy, for every choice', () => {
    expect(output({})).toBe(1_000);
    expect(output({ n: 3 })).toBe(3_000);
    expect(output({ max_tokens: 10, n: 3 })).toBe(30);
    expect(output({ max_tokens: 10, max_completion_tokens: 20 })).toBe(20);
    expect(output({ max_tokens: 5_000 })).toBe(1_000);
    expect(output({}, 100)).toBe(100);
    expect(output({ max_tokens: 10, n: 2 }, 100)).toBe(20);
  });
});

describe('the guess of the input', () => {
  it('takes an image for what it usually costs and a text for a fifth of its bytes', () => {
    const body = said(image(PHOTO), image(PHOTO, 'low'));
    const { size } = chat(body);
    const text = bytesLess(body, PHOTO, PHOTO) / 5;
    expect(tokensAbout(size)).toBe(Math.ceil(text + 765 + 85));
    expect(windowTokensAbout(size, { imageTokensMax: 100 })).toBe(Math.ceil(text + 100 + 85));
  });

  it('takes the mean of the texts that are embedded, each of which has a window', () => {
    const body = { model: 'm', input: ['a'.repeat(100), 'b'.repeat(100)] };
    const { size } = readEmbeddingsRequest(body, 240);
    expect(tokensAbout(size)).toBe(48);
    expect(windowTokensAbout(size, MODEL)).toBe(24);
  });
});
