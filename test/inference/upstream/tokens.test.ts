import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { countChatInput, inputTokensMax } from '../../../src/inference/upstream/tokens.js';

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

describe('inputTokensMax', () => {
  const message = fc.record({
    role: fc.constantFrom('user', 'system', 'assistant'),
    content: fc.string({ unit: 'grapheme', maxLength: 200 }),
  });

  it('is never below the exact count', () => {
    fc.assert(
      fc.property(fc.array(message, { minLength: 1 }), fc.boolean(), (messages, withTools) => {
        const tools = withTools ? [{ type: 'function', function: { name: 'f' } }] : [];
        const body = JSON.stringify({ model: 'm', messages, ...(withTools ? { tools } : {}) });
        const bound = inputTokensMax({
          bodyBytes: Buffer.byteLength(body),
          images: 0,
          tools: withTools,
          contextWindow: 1_000_000,
        });
        expect(bound).toBeGreaterThanOrEqual(countChatInput(tokenizer, messages, tools));
      }),
    );
  });

  it('never passes the window, and counts an image that is only an address', () => {
    const size = { bodyBytes: 300, images: 1, tools: false, contextWindow: 1_000_000 };
    expect(inputTokensMax(size)).toBe(300 + 64 + 4_096);
    expect(inputTokensMax({ ...size, contextWindow: 2_000 })).toBe(2_000);
  });
});
