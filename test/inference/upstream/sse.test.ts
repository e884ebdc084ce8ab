import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SseReader } from '../../../src/inference/upstream/sse.js';

interface Read {
  readonly events: string[];
  readonly marked: string[];
  readonly order: string;
  readonly whole: boolean;
}

/** Reads a stream in pieces; `order` spells events as e, marked ones as m, the end as d. */
function read(bytes: Buffer, cuts: readonly number[] = []): Read {
  const events: string[] = [];
  const marked: string[] = [];
  let order = '';
  const reader = new SseReader({
    onEvents: (run, count) => {
      const parts = run.toString('utf8').split('\n\n').slice(0, -1);
      expect(parts).toHaveLength(count);
      events.push(...parts);
      order += 'e'.repeat(count);
    },
    onMarked: (payload, event) => {
      expect(event.toString('utf8')).toBe(`data: ${payload.toString('utf8')}\n\n`);
      marked.push(payload.toString('utf8'));
      order += 'm';
    },
    onDone: () => {
      order += 'd';
    },
  });
  const places = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b);
  let from = 0;
  for (const to of [...places, bytes.length]) {
    reader.push(Buffer.from(bytes.subarray(from, to)));
    from = to;
  }
  const whole = reader.end();
  return { events, marked, order, whole };
}

const CHUNK =
  '{"choices":[{"delta":{"content":"Привет 🙂 \\"usage\\": {\\"a\\":1}"}}],"usage":null}';
const USAGE = '{"choices":[],"usage": {"prompt_tokens":1}}';
const ERROR = '{"error":{"message":"no"}}';
const STREAM = [
  ': warming up\n\n',
  `data: ${CHUNK}\n\n`,
  `data:${CHUNK}\n\n`,
  `event: chunk\nid: 7\ndata: ${CHUNK}\n\n`,
  '\n',
  `data: ${CHUNK}\n\n`,
  `data: ${USAGE}\n\n`,
  `data: ${ERROR}\n\n`,
  'data: {"choices":\ndata: []}\n\n',
  'data: [DONE]\n\n',
].join('');

const EXPECTED: Read = {
  events: [
    `data: ${CHUNK}`,
    `data:${CHUNK}`,
    `data: ${CHUNK}`,
    `data: ${CHUNK}`,
    'data: {"choices": []}',
  ],
  marked: [USAGE, ERROR],
  order: 'eeeemmed',
  whole: true,
};

describe('SseReader', () => {
  it('reads the same events wherever the bytes are cut once', () => {
    const bytes = Buffer.from(STREAM);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(read(bytes, [cut])).toEqual(EXPECTED);
  });

  it('reads the same events byte by byte and at any set of cuts', () => {
    const bytes = Buffer.from(STREAM);
    expect(read(bytes, [...bytes.keys()])).toEqual(EXPECTED);
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 40 }), (cuts) => {
        expect(read(bytes, cuts)).toEqual(EXPECTED);
      }),
    );
  });

  it.each(['\r\n', '\r'])('reads line ends %j at any cut as line feeds', (ends) => {
    const bytes = Buffer.from(`\uFEFF${STREAM.replaceAll('\n', ends)}`);
    expect(read(bytes)).toEqual(EXPECTED);
    for (let cut = 0; cut <= bytes.length; cut += 1) expect(read(bytes, [cut])).toEqual(EXPECTED);
  });

  it('keeps a run of ordinary events in one buffer', () => {
    const runs: number[] = [];
    const reader = new SseReader({
      onEvents: (_, count) => runs.push(count),
      onMarked: () => runs.push(-1),
      onDone: () => runs.push(0),
    });
    reader.push(Buffer.from([...Array(5).fill(`data: ${CHUNK}`), 'data: [DONE]', ''].join('\n\n')));
    expect(runs).toEqual([5, 0]);
  });

  it.each([
    ['data: [DONE]', { order: 'd', whole: true }],
    [`data: ${USAGE}\n`, { order: 'm', whole: true }],
    [`data: ${CHUNK.slice(0, 30)}`, { order: '', whole: false }],
    ['', { order: '', whole: true }],
  ])('at the end takes %j for what it is', (text, expected) => {
    expect(read(Buffer.from(text))).toMatchObject(expected);
  });

  it('refuses an event that never ends', () => {
    const reader = new SseReader({
      onEvents: () => undefined,
      onMarked: () => undefined,
      onDone: () => undefined,
    });
    reader.push(Buffer.from('data: '));
    expect(() => reader.push(Buffer.alloc(5 * 1024 * 1024, 'x'))).toThrow(RangeError);
  });

  it('hands on any payloads unchanged and in order', () => {
    const payloads = fc.array(
      fc.record({ text: fc.string({ unit: 'grapheme' }) }).map((value) => JSON.stringify(value)),
    );
    fc.assert(
      fc.property(payloads, fc.array(fc.nat(), { maxLength: 10 }), (texts, cuts) => {
        const bytes = Buffer.from(texts.map((text) => `data: ${text}\n\n`).join(''));
        expect(read(bytes, cuts).events).toEqual(texts.map((text) => `data: ${text}`));
      }),
    );
  });
});
