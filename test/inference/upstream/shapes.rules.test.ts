import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { answers, surelyAnswers } from '../../../src/inference/upstream/answer-shape.js';
import { shapeOf } from '../../../src/inference/upstream/event-shape.js';

function shape(text: string) {
  const bytes = Buffer.from(`before${text}after`);
  return shapeOf(bytes, 'before'.length, bytes.length - 'after'.length);
}

function parsedShape(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? 'object'
      : 'other';
  } catch {
    return 'broken';
  }
}

const odd = fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'я', ' ') });
const members = fc.dictionary(odd, fc.oneof(odd, fc.jsonValue()));

describe('shapeOf', () => {
  it('says of any JSON value what parsing says', () => {
    fc.assert(
      fc.property(fc.oneof(members, fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(shape(text)).toBe(parsedShape(text));
        expect(shape(` ${text}\t`)).toBe(parsedShape(text));
      }),
    );
  });

  it('never takes an object that was cut anywhere for a whole one', () => {
    fc.assert(
      fc.property(members, fc.nat(), (value, at) => {
        const text = JSON.stringify({ choices: [value] });
        const cut = text.slice(0, 1 + (at % (text.length - 1)));
        expect(shape(cut)).toBe('broken');
      }),
    );
  });

  it('says of nothing that it is another value than an object', () => {
    for (const blank of ['', ' ', '\t ']) expect(shape(blank)).toBe('other');
  });
});

describe('an answer of chat', () => {
  const bodyOf = (message: object) => ({ choices: [{ index: 0, message }] });
  const judged = (message: object) => {
    const body = bodyOf(message);
    return [surelyAnswers(Buffer.from(JSON.stringify(body)), 'chat'), answers(body, 'chat')];
  };

  it.each([[{ content: 42 }], [{ content: true }], [{ content: { text: 'a' } }]])(
    'is none where its message says %j',
    (message) => expect(judged(message)).toEqual([false, false]),
  );

  it.each([[{ content: 'a "content": 42' }], [{ content: null }], [{}], [{ content: [] }]])(
    'is one where its message says %j',
    (message) => expect(judged(message)).toEqual([true, true]),
  );
});

describe('surelyAnswers', () => {
  const choice = fc.record({ message: members, extra: fc.jsonValue() });
  const body = fc.record({
    id: odd,
    choices: fc.oneof(fc.array(choice), fc.array(fc.oneof(choice, fc.jsonValue())), fc.jsonValue()),
    usage: fc.jsonValue(),
  });

  it('is sure of no body of one choice that parsing would refuse', () => {
    fc.assert(
      fc.property(body, (value) => {
        const text = JSON.stringify(value);
        const { choices } = value;
        if (!surelyAnswers(Buffer.from(text), 'chat')) return;
        // A list of objects is sure by its first one; what is no list of objects never is.
        expect(Array.isArray(choices) && choices.length > 0).toBe(true);
        expect((choices as unknown[]).every((one) => one !== null)).toBe(true);
      }),
    );
  });

  it('is not sure of a list in which a text stands behind an object', () => {
    const text = JSON.stringify({ choices: [{ message: {} }, 'a "b"', null] });
    expect(surelyAnswers(Buffer.from(text), 'chat')).toBe(false);
  });

  it('is sure of ordinary answers, which are then not parsed', () => {
    const chat = { choices: [{ message: { content: 'x {"a": [1]}' } }], usage: { a: 1 } };
    const data = { object: 'list', data: [{ embedding: [1] }] };
    expect(surelyAnswers(Buffer.from(JSON.stringify(chat)), 'chat')).toBe(true);
    expect(surelyAnswers(Buffer.from(JSON.stringify(data, null, 2)), 'embeddings')).toBe(true);
  });

  it.each([
    [{ data: [] }, false],
    [{ data: [1] }, false],
    [{ data: { 0: {} } }, false],
    [{ data: [{ embedding: [] }] }, true],
  ])('an embeddings body %j answers: %s', (value, expected) => {
    expect(answers(value, 'embeddings')).toBe(expected);
    if (!expected)
      expect(surelyAnswers(Buffer.from(JSON.stringify(value)), 'embeddings')).toBe(false);
  });
});
