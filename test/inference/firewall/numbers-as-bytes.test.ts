import { describe, expect, it } from 'vitest';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const BYTES = Uint8Array.from(Buffer.from('Card 4111 1111 1111 1111'));
const AS_OBJECT: object = JSON.parse(JSON.stringify(BYTES));
const LIST = [...BYTES];

const message = (members: object) => ({ messages: [{ role: 'user', content: 'a', ...members }] });
const part = (members: object) => message({ content: [{ type: 'blob', ...members }] });
const call = (input: unknown) => ({
  messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'c', name: 'f', input }] }],
});

function unreadOf(body: object) {
  const { unread, body: sent } = inspectRequest(body, DEFAULT_MODES);
  expect(sent).toBe(body);
  return unread;
}

describe('numbers that may be bytes count as unread', () => {
  it.each([
    ['an object in a member of a message', message({ attachment: AS_OBJECT }), 'messages.0'],
    ['an object as the content', message({ content: AS_OBJECT }), 'messages.0'],
    ['an object in a part', part({ data: AS_OBJECT }), 'messages.0.content.0'],
    [
      'an object in a list in a part',
      part({ rows: [{ data: AS_OBJECT }] }),
      'messages.0.content.0',
    ],
    ['an object of a few numbers', message({ x: { 0: 67, 1: 97, 2: 114 } }), 'messages.0'],
    ['an object of lists', message({ x: { 0: [67, 97], 1: [114] } }), 'messages.0'],
    ['an object in a member of the body', { ...message({}), extra: AS_OBJECT }, 'extra'],
    ['a list in a call', call({ bytes: LIST }), 'messages.0.content.0'],
    ['an object in a call', call({ file: { bytes: AS_OBJECT } }), 'messages.0.content.0'],
    [
      'a list in arguments that are an object',
      message({ tool_calls: [{ function: { name: 'f', arguments: { bytes: LIST } } }] }),
      'messages.0',
    ],
  ])('%s', (_what, body, place) => {
    expect(unreadOf(body)).toEqual([{ kind: 'file', place }]);
  });

  it('as tokens where their member is called so', () => {
    const body = message({ token_ids: { 0: 1_000, 1: 2_000, 2: 3_000 } });
    expect(unreadOf(body)).toEqual([{ kind: 'tokens', place: 'messages.0' }]);
  });
});

describe('numbers that are ordinary count as nothing', () => {
  const LINE = Array.from({ length: 12 }, (_, at) => [37.5 + at / 10, 55.7 - at / 10]);
  it.each([
    ['two members that are numbers', message({ x: { 0: 67, 1: 97 } })],
    ['numbers beside a name', message({ x: { 0: 67, 1: 97, 2: 114, length: 3 } })],
    ['texts by their numbers', message({ x: { 0: 'a', 1: 'b', 2: 'c', 3: 'd' } })],
    ['the bias of tokens', { ...message({}), logit_bias: AS_OBJECT }],
    ['labels', { ...message({}), metadata: { years: { 2024: 1, 2025: 2, 2026: 3 } } }],
    ['a few numbers in a call', call({ sizes: [1, 2, 3, 4], box: { 0: 1, 1: 2, 2: 3, 3: 4 } })],
    ['fifteen whole numbers in a call', call({ bytes: LIST.slice(0, 15) })],
    ['places in a call', call({ line: LINE })],
    [
      'a schema of a tool',
      { ...message({}), tools: [{ type: 'function', function: { parameters: { enum: LIST } } }] },
    ],
  ])('%s', (_what, body) => {
    expect(unreadOf(body)).toEqual([]);
  });
});
