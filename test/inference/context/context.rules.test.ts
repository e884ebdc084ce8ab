import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ModelFacts } from '../../../src/catalog/providers/model.js';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { readChatRequest } from '../../../src/inference/chat/request.js';
import { compileContext, withBlocks } from '../../../src/inference/context/compile-context.js';
import { PatientCounter } from '../../../src/inference/context/count.js';
import type { ContextWish } from '../../../src/inference/context/wish.js';
import { countChatInput } from '../../../src/inference/upstream/tokens.js';
import { GatewayError } from '../../../src/kernel/errors/fail.js';
import type { JsonObject } from '../../../src/kernel/json.js';

function modelOf(contextWindow: number, maxOutputTokens: number): ModelFacts {
  const media = { imageTokensMax: 0, imageTokensLowMax: 0, audioTokensPerSecondMax: 0 };
  return { id: 'm', contextWindow, maxOutputTokens, ...media } as unknown as ModelFacts;
}

const words = fc.constantFrom(
  'договор',
  'the term',
  '🦊',
  '{"a":1}',
  '\u00a0',
  ' ',
  '\n',
  '\t',
  '9',
);
const texts = fc.oneof(
  fc.string({ minLength: 1, maxLength: 400 }),
  fc.string({ minLength: 1, maxLength: 200, unit: 'grapheme' }),
  fc.array(words, { minLength: 1, maxLength: 150 }).map((each) => each.join('')),
  fc.tuple(words, fc.integer({ min: 1, max: 900 })).map(([word, times]) => word.repeat(times)),
);
const blocks = fc
  .array(
    fc.record({
      text: texts,
      priority: fc.constantFrom('MUST' as const, 'SHOULD' as const, 'COULD' as const),
      value: fc.option(fc.integer({ min: 1, max: 10 })),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) => all.map((block, index) => ({ id: String(index), ...block })));

describe('a compiled chat', () => {
  it('never passes the window with its answer, and keeps MUST blocks and the order', async () => {
    const tokenizer = await loadTokenizer();
    await fc.assert(
      fc.asyncProperty(
        blocks,
        texts,
        fc.integer({ min: 300, max: 4_000 }),
        fc.option(fc.integer({ min: 1, max: 500 }), { nil: undefined }),
        async (given, question, window, maxTokens) => {
          const body: JsonObject = {
            model: 'm',
            messages: [{ role: 'user', content: question }],
            max_tokens: maxTokens,
            gw_context: { blocks: given },
          };
          const request = readChatRequest(body, Buffer.byteLength(JSON.stringify(body)));
          const wish = request.context as ContextWish;
          const made = compileContext(request, wish, modelOf(window, 600), undefined);
          const found = await made.catch((thrown: unknown) => thrown);
          if (found instanceof GatewayError) {
            expect(found.code).toBe('context_cannot_compile');
            return;
          }
          const { compiled, outputTokens, safetyTokens } = await made;
          const messages = request.body.messages as JsonObject[];
          const sent = withBlocks(messages, wish, new Set(compiled.kept));
          if (sent.length > messages.length) {
            const tokens = countChatInput(tokenizer, sent);
            expect(tokens + outputTokens + safetyTokens).toBeLessThanOrEqual(window);
          }
          const must = given.flatMap(({ id, priority }) => (priority === 'MUST' ? [id] : []));
          expect(compiled.kept).toEqual(expect.arrayContaining(must));
          expect(compiled.kept).toEqual(
            given.map(({ id }) => id).filter((id) => compiled.kept.includes(id)),
          );
        },
      ),
      { numRuns: 200 },
    );
  });
});

describe('what a compiled chat takes', () => {
  it('counts an image once, at its bound, and apart from the texts', async () => {
    const url = 'https://example.org/a.png';
    const content = [
      { type: 'text', text: 'Что здесь?' },
      { type: 'image_url', image_url: { url } },
      { type: 'image_url', image_url: { url, detail: 'low' } },
    ];
    const compiledOf = async (parts: object[]) => {
      const body = { model: 'm', messages: [{ role: 'user', content: parts }], max_tokens: 10 };
      const given = { ...body, gw_context: { blocks: [{ id: 'a', text: 'a', priority: 'MUST' }] } };
      const request = readChatRequest(given, Buffer.byteLength(JSON.stringify(given)));
      const bounds = { imageTokensMax: 1_000, imageTokensLowMax: 100 };
      const model = { ...modelOf(4_000, 600), ...bounds };
      return compileContext(request, request.context as ContextWish, model, undefined);
    };
    const [plain, media] = [await compiledOf(content.slice(0, 1)), await compiledOf(content)];
    expect(plain.mediaTokens).toBe(0);
    expect([media.mediaTokens, media.promptTokens]).toEqual([1_100, plain.promptTokens + 1_100]);
  });
});

describe('counting in turns', () => {
  it('is exact for short texts and never below the count of long ones', async () => {
    const tokenizer = await loadTokenizer();
    const counter = new PatientCounter(tokenizer);
    await fc.assert(
      fc.asyncProperty(texts, fc.integer({ min: 1, max: 60 }), async (text, times) => {
        const long = text.repeat(times);
        const counted = await counter.count(long);
        const whole = tokenizer.count(long);
        if (long.length <= 8_192) expect(counted).toBe(whole);
        else expect(counted).toBeGreaterThanOrEqual(whole);
      }),
      { numRuns: 60 },
    );
  });

  it('lets others have their turn', async () => {
    const counter = new PatientCounter(await loadTokenizer());
    let turns = 0;
    const ticking = setInterval(() => {
      turns += 1;
    }, 0);
    await counter.count('условие договора '.repeat(20_000));
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(1);
  });
});
