import { describe, expect, it } from 'vitest';
import { readChatRequest } from '../../../src/inference/chat/request.js';
import { measure } from '../../../src/inference/measure.js';
import type { JsonObject } from '../../../src/kernel/json.js';

const FUNCTION = { name: 'weather', description: 'Tells the weather.', parameters: {} };
const TOOL = { type: 'function', function: FUNCTION };

function requestOf(more: JsonObject) {
  const body = { model: 'm', messages: [{ role: 'user', content: 'Hello' }], ...more };
  return readChatRequest(body, Buffer.byteLength(JSON.stringify(body)));
}

describe('what a chat request needs of a model', () => {
  it.each([
    ['tools', { tools: [TOOL] }, ['tools']],
    ['functions, the older name of tools', { functions: [FUNCTION] }, ['tools']],
    ['both', { tools: [TOOL], functions: [FUNCTION] }, ['tools']],
    ['neither', {}, []],
    ['empty lists', { tools: [], functions: [] }, []],
  ])('follows from %s', (_, more, needs) => {
    expect(requestOf(more).needs).toEqual(needs);
  });
});

describe('tokens that are counted here', () => {
  it('hold the definitions of functions as they hold those of tools', async () => {
    const inputOf = async (more: JsonObject) => {
      const request = requestOf(more);
      const sent = request.body;
      const answered = { sent, raw: undefined, text: () => 'Hi', deployment: undefined };
      return (await measure(request, answered)).usage.input_uncached;
    };
    const plain = await inputOf({});
    const [functions, tools] = [
      await inputOf({ functions: [FUNCTION] }),
      await inputOf({ tools: [TOOL] }),
    ];
    expect(functions).toBeGreaterThan(plain);
    // What a tool says more is its type, and that it is a function.
    expect(tools - functions).toBeLessThan(15);
  });
});
