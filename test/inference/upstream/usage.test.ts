import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NO_USAGE, type UsageVector } from '../../../src/catalog/providers/price.js';
import { normaliseUsage, usageOfBody, wireUsage } from '../../../src/inference/upstream/usage.js';

const part = fc.nat({ max: 1_000_000 });
const vectors: fc.Arbitrary<UsageVector> = fc.record({
  input_uncached: part,
  input_cached: part,
  cache_write: fc.constant(0),
  output_text: part,
  output_reasoning: part,
});

describe('normaliseUsage', () => {
  it.each<[string, Record<string, unknown>, Partial<UsageVector> | undefined]>([
    [
      'cached and reasoning inside the sums',
      {
        prompt_tokens: 100,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 64 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input_uncached: 36, input_cached: 64, output_text: 30, output_reasoning: 20 },
    ],
    [
      'reasoning beside the output, as the total shows',
      {
        prompt_tokens: 10,
        completion_tokens: 50,
        total_tokens: 80,
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input_uncached: 10, output_text: 50, output_reasoning: 20 },
    ],
    [
      'cached beside the input, as the total shows',
      {
        prompt_tokens: 36,
        completion_tokens: 50,
        total_tokens: 150,
        prompt_tokens_details: { cached_tokens: 64 },
      },
      { input_uncached: 36, input_cached: 64, output_text: 50 },
    ],
    [
      'cache reads and writes beside the input by their names',
      {
        input_tokens: 5,
        output_tokens: 7,
        cache_read_input_tokens: 100,
        cache_creation_input_tokens: 30,
      },
      { input_uncached: 5, input_cached: 100, cache_write: 30, output_text: 7 },
    ],
    [
      'hits and misses of a cache',
      {
        prompt_tokens: 30,
        completion_tokens: 4,
        total_tokens: 34,
        prompt_cache_hit_tokens: 20,
        prompt_cache_miss_tokens: 10,
      },
      { input_uncached: 10, input_cached: 20, output_text: 4 },
    ],
    ['explicit zeros', { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 }, {}],
    ['an output of zero', { prompt_tokens: 9, completion_tokens: 0 }, { input_uncached: 9 }],
    [
      'an input that follows from the total',
      { completion_tokens: 4, total_tokens: 10 },
      { input_uncached: 6, output_text: 4 },
    ],
    ['no output', { prompt_tokens: 9 }, undefined],
    ['no input', { completion_tokens: 9 }, undefined],
    ['figures that are no counts', { prompt_tokens: -1, completion_tokens: '7' }, undefined],
  ])('reads %s', (_, raw, expected) => {
    expect(normaliseUsage(raw, 'chat')).toEqual(expected && { ...NO_USAGE, ...expected });
  });

  it('takes all of an embedding as input', () => {
    const raw = { prompt_tokens: 8, total_tokens: 8 };
    expect(normaliseUsage(raw, 'embeddings')).toEqual({ ...NO_USAGE, input_uncached: 8 });
  });

  it('gives back the vector that it was written from', () => {
    fc.assert(
      fc.property(vectors, (usage) => {
        expect(normaliseUsage({ ...wireUsage(usage) }, 'chat')).toEqual(usage);
      }),
    );
  });

  it('never makes a part negative and never loses a token of the stated sums', () => {
    const maybe = fc.option(part, { nil: undefined });
    fc.assert(
      fc.property(part, part, maybe, maybe, maybe, (prompt, completion, total, cached, thought) => {
        const usage = normaliseUsage(
          {
            prompt_tokens: prompt,
            completion_tokens: completion,
            total_tokens: total,
            prompt_tokens_details: { cached_tokens: cached },
            completion_tokens_details: { reasoning_tokens: thought },
          },
          'chat',
        );
        if (!usage) {
          expect((cached ?? 0) > prompt || (thought ?? 0) > completion).toBe(true);
          return;
        }
        const parts = Object.values(usage);
        expect(Math.min(...parts)).toBeGreaterThanOrEqual(0);
        expect(parts.reduce((sum, one) => sum + one, 0)).toBeGreaterThanOrEqual(
          prompt + completion,
        );
      }),
    );
  });
});

describe('usageOfBody', () => {
  it('cuts the usage out of any answer, whatever its texts hold', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), vectors, fc.boolean(), (text, name, usage, last) => {
        const wire = wireUsage(usage);
        const trap = `"usage": {"prompt_tokens": 666} ${text}`;
        const choices = [{ message: { content: trap, [`x${name}`]: trap } }];
        const body = last ? { choices, usage: wire } : { usage: wire, choices };
        expect(usageOfBody(Buffer.from(JSON.stringify(body, null, 1)))).toEqual(wire);
      }),
    );
  });

  it.each(['{}', '{"usage":null}', '{"usage"', '{"usage":{"a":1', '{"content":"\\"usage\\":{}"}'])(
    'finds none in %s',
    (body) => {
      expect(usageOfBody(Buffer.from(body))).toBeUndefined();
    },
  );
});
