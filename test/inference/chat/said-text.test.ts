import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseEvents, SaidText, writeEvent } from '../../../src/inference/chat/event-text.js';

const texts = fc.array(
  fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('"', '\\', 'n', 'a') }),
  ),
  { maxLength: 12 },
);
const NAMES = ['content', 'reasoning_content', 'refusal'] as const;

function eventOf(text: string, at: number): Buffer {
  const delta = { role: 'assistant', [NAMES[at % NAMES.length] ?? 'content']: text };
  return writeEvent({ id: 'a"b', choices: [{ index: 0, delta }] });
}

describe('what a stream has said', () => {
  it('is the text of its events, whatever is escaped in it and however it arrives', () => {
    fc.assert(
      fc.property(texts, fc.boolean(), (all, atOnce) => {
        const said = new SaidText();
        const events = all.map((text, at) => eventOf(text.toWellFormed(), at));
        if (atOnce) said.add(Buffer.concat(events));
        else for (const event of events) said.add(event);
        expect(said.text()).toBe(all.map((text) => text.toWellFormed()).join(''));
      }),
    );
  });

  it('is nothing of a text that does not end', () => {
    const said = new SaidText();
    said.add(Buffer.from('data: {"choices":[{"delta":{"content":"cut \\\\\\"'));
    expect(said.text()).toBe('');
  });
});

describe('events', () => {
  const value = fc.record({ a: fc.string({ unit: 'binary' }), b: fc.nat() });
  const noise = fc.constantFrom(
    ': comment\n\n',
    'event: x\nid: 1\n\n',
    'data: [DONE]\n\n',
    '\n',
    '',
  );

  it('are read as their JSON objects, whichever line ends they have', () => {
    const all = fc.array(fc.tuple(noise, value), { maxLength: 8 });
    fc.assert(
      fc.property(all, fc.boolean(), (given, isWide) => {
        const text = given.map(([before, each]) => `${before}data: ${JSON.stringify(each)}\n\n`);
        const bytes = Buffer.from(isWide ? text.join('').replaceAll('\n', '\r\n') : text.join(''));
        const values = given.map(([, each]) => JSON.parse(JSON.stringify(each).toWellFormed()));
        expect(parseEvents(bytes)).toEqual(values);
      }),
    );
  });

  it('of several lines have them joined, and one without its blank line counts', () => {
    expect(parseEvents(Buffer.from('data: {"a":\ndata: 1}\n\ndata: {"b":2}'))).toEqual([
      { a: 1 },
      { b: 2 },
    ]);
  });
});
