import { builder } from '../graph/builder.js';
import { unconfined } from '../graph/confined.js';
import type { Permission } from '../graph/permissions.js';
import { argsOf, storedFields } from '../graph/table-types.js';
import { optional, text } from '../kernel/fields/field.js';
import { type Delivered, type FeedSource, feedHead, subscribeFeed } from './feed.js';
import type { Position } from './feed.rules.js';

/** The place of an event in its feed, as every item shows it. */
export const CURSOR = text('Pass it as `after` to go on from here.');

const HEAD = builder.objectRef<{ readonly cursor: string }>('FeedHead').implement({
  description: 'A moment in a feed, before the first event that is yet to come.',
  fields: (t) => storedFields(t, { cursor: CURSOR }),
});

/** A type of the schema whose values are events with their cursor. */
type FeedItemRef<Row extends Position> = ReturnType<
  ReturnType<typeof builder.objectRef<Delivered<Row>>>['implement']
>;

/** A subscription that follows a feed. */
export interface FeedField<Row extends Position> {
  readonly name: string;
  readonly description: string;
  /** What its readers may do. */
  readonly permission: Permission;
  readonly source: FeedSource<Row>;
  /** What one event is shown as. */
  readonly item: FeedItemRef<Row>;
}

/**
 * Adds a subscription that follows a feed of the caller's organization from a cursor on, or from
 * now on, and ends with the request. Callers of a workspace follow none.
 */
export function feedField<Row extends Position>(field: FeedField<Row>): void {
  const { name, description, permission, source, item } = field;
  builder.subscriptionField(name, (t) =>
    t.field({
      type: item,
      description,
      authScopes: { can: permission },
      args: argsOf(t, {
        after: optional(
          text('The cursor of the last event that was handled; without it, from now on.'),
        ),
      }),
      subscribe: (_root, { after }, ctx) =>
        subscribeFeed(ctx.services, {
          source,
          tenantId: unconfined(ctx).who.tenantId,
          after: after ?? undefined,
          signal: ctx.signal,
        }),
      resolve: (event) => event,
    }),
  );
  builder.queryField(`${name}Head`, (t) =>
    t.field({
      type: HEAD,
      description:
        `The cursor of this moment in ${name}. Ask for it before you subscribe: a client that is ` +
        'cut off before the first event goes on from it with `after` and misses nothing. Events ' +
        'that were being written at that moment follow as well.',
      authScopes: { can: permission },
      resolve: async (_root, _args, ctx) => {
        const cursor = await feedHead(unconfined(ctx).services.pool);
        return { cursor };
      },
    }),
  );
}
