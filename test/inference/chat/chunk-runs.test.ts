import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChunkShape } from '../../../src/inference/chat/chunk-shape.js';
import { parseEvents, writeEvent } from '../../../src/inference/chat/event-text.js';

const delta = fc.record(
  { role: fc.constant('assistant'), content: fc.string({ unit: 'grapheme' }) },
  { requiredKeys: [] },
);
const chunkOf = (choices: number) =>
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.record(
        {
          id: fc.constant('c1'),
          choices: fc.tuple(fc.record({ index: fc.nat(choices - 1), delta })),
          usage: fc.constant(null),
        },
        { requiredKeys: ['id', 'choices'] },
      ),
    },
    { weight: 1, arbitrary: fc.record({ event: fc.constant('heartbeat') }) },
  );

describe('a run of events', () => {
  it('is shaped as its events are one by one', () => {
    const run = fc.constantFrom(1, 2).chain((choices) =>
      fc.record({
        choices: fc.constant(choices),
        withUsage: fc.boolean(),
        given: fc.array(chunkOf(choices), { minLength: 1, maxLength: 12 }),
      }),
    );
    fc.assert(
      fc.property(run, ({ given, withUsage, choices }) => {
        const events = given.map(writeEvent);
        const alone = new ChunkShape(choices, withUsage);
        const single = events.flatMap((event) => parseEvents(alone.push(event, 1)));
        const together = new ChunkShape(choices, withUsage).push(
          Buffer.concat(events),
          events.length,
        );
        expect(parseEvents(together)).toEqual(single);
        expect(single.filter((one) => withUsage && !('usage' in one))).toEqual([]);
      }),
    );
  });

  it('is named by its first chunk, whatever comes before and behind it', () => {
    const shape = new ChunkShape(1, false);
    const named = { id: 'a', object: 'chat.completion.chunk', created: 1 };
    shape.push(writeEvent({ event: 'heartbeat' }), 1);
    shape.push(writeEvent({ ...named, choices: [{ index: 0, delta: {} }] }), 1);
    shape.push(writeEvent({ ...named, id: 'b', choices: [{ index: 0, delta: {} }] }), 1);
    expect(shape.frame).toEqual(named);
  });
});
