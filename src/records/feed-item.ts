import type { ObjectRef } from '@pothos/core';
import { builder } from '../graph/builder.js';
import { type SchemaTypesOf, shownFields, storedFields } from '../graph/table-types.js';
import { type Field, type Fields, instant, text, uuid } from '../kernel/fields/field.js';
import type { Delivered, FeedRow } from './feed.js';
import { CURSOR } from './feed-field.js';

type Item = Delivered<FeedRow>;

const EVENT = {
  id: uuid('The id of the event; it removes doubles.'),
  type: text('What happened, as a code of the feed.'),
  subjectId: text('The id of the thing that it happened to.'),
  createdAt: instant('When it happened.'),
};

const FeedItem = builder.interfaceRef<Item>('FeedItem').implement({
  description: 'An event of a durable feed, with the cursor that resumes after it.',
  fields: (t) => ({
    ...storedFields(t, { cursor: CURSOR }),
    ...shownFields(t, EVENT, ({ event }: Item) => event),
  }),
});

/**
 * The type of the events of one feed.
 * @param type its name, such as `ApprovalFeedItem`
 * @param payload the facts of its events, by a table; nothing where their subject says it all
 */
export function feedItem(
  type: string,
  description: string,
  payload?: Field,
): ObjectRef<SchemaTypesOf, Item> {
  const facts: Fields = payload ? { payload } : {};
  return builder.objectRef<Item>(type).implement({
    description,
    interfaces: [FeedItem],
    fields: (t) => shownFields(t, facts, ({ event }: Item) => event as never) as never,
  });
}
