import {
  fieldTable,
  flag,
  integer,
  list,
  object,
  text,
  toldIn,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { divide } from '../../kernel/money.js';
import { itemSaid } from './item-phrases.js';
import { READINESS_ITEMS, type ReadinessItem } from './vocabulary.js';

/** What the tenant's rows show of an item. */
export interface ReadinessFact {
  readonly done: boolean;
  /** True where simulated answers show it, which is no evidence. */
  readonly simulated: boolean;
}

/** What the tenant's rows show, by item. */
export type ReadinessFacts = Readonly<Record<ReadinessItem['code'], ReadinessFact>>;

const ITEM = fieldTable(
  'ReadinessItem',
  'One item of the readiness list, read from the rows of the organization.',
  {
    code: text('The item of the checklist, as a code.'),
    title: toldIn(text('What is there when it is done.'), itemSaid),
    done: flag('True when the rows show it.'),
    simulated: flag(
      'True for an open item that only simulated answers show. They are no evidence: a request ' +
        'to a real model closes it.',
    ),
    closedBy: toldIn(text('The call that closes it.'), itemSaid),
  },
);

/** How ready an organization is for production. */
export const READINESS = fieldTable(
  'OrganizationReadiness',
  'How ready the organization is for production.',
  {
    percent: integer('Items done of all, rounded down.'),
    items: list(object(ITEM, 'An item.'), 'Every item of the checklist, ready or not.'),
    remaining: list(
      object(ITEM, 'An item.'),
      'Items that are open, each with the call that closes it.',
    ),
  },
);

/** How ready an organization is for production. */
export type Readiness = ValuesOf<typeof READINESS.fields>;

/** The list with what is done, and its share. Simulated answers are told, and close nothing. */
export function readinessOf(facts: ReadinessFacts): Readiness {
  const items = READINESS_ITEMS.map((item) => {
    const { done, simulated } = facts[item.code];
    return { ...item, done, simulated: simulated && !done };
  });
  const remaining = items.filter((item) => !item.done);
  const done = BigInt(items.length - remaining.length);
  const percent = Number(divide(done * 100n, BigInt(items.length), 'floor'));
  return { percent, items, remaining };
}
