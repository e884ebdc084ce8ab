import { afterAll, describe, expect, it } from 'vitest';
import { loadTokenizer } from '../../../src/catalog/providers/tokenizer.js';
import { type Body, upstream, whole } from './sandbox-call.js';

const tokenizer = await loadTokenizer();
afterAll(() => upstream.close());

describe('embeddings', () => {
  const embed = (body: Body) => whole(body, 'sandbox/gw-embed');
  const length = (vector: readonly number[]) => Math.hypot(...vector);
  const floats = (base64: string) => {
    const bytes = Buffer.from(base64, 'base64');
    return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4));
  };

  it('are unit vectors, the same for the same text, with the tokens as usage', async () => {
    const answer = await embed({ input: ['привет мир', 'hello', 'привет мир'] });
    const [one, other, again] = answer.data.map((row: { embedding: number[] }) => row.embedding);
    expect(length(one)).toBeCloseTo(1, 5);
    expect(one).toEqual(again);
    expect(one).not.toEqual(other);
    expect(answer).toMatchObject({ object: 'list', simulated: true });
    expect(answer.usage).toEqual({ prompt_tokens: 7, total_tokens: 7 });
  });

  it('have as many dimensions as asked for', async () => {
    const { data } = await embed({ input: 'x', dimensions: 64 });
    expect(data[0].embedding).toHaveLength(64);
  });

  it('in base64 are the same figures as little-endian float32', async () => {
    const plain = await embed({ input: 'x', encoding_format: 'float' });
    const packed = await embed({ input: 'x', encoding_format: 'base64' });
    expect(floats(packed.data[0].embedding)).toEqual(plain.data[0].embedding);
  });

  it('of token arrays are those of their text', async () => {
    const tokens = tokenizer.encode('привет мир');
    const text = (await embed({ input: 'привет мир' })).data[0];
    expect((await embed({ input: tokens })).data[0]).toEqual(text);
    expect((await embed({ input: [tokens, tokens] })).data).toHaveLength(2);
  });

  it.each([[[]], [''], [7], [['ok', '']]])('of %j are refused', async (input) => {
    await expect(embed({ input })).rejects.toMatchObject({ code: 'upstream_rejected' });
  });
});
