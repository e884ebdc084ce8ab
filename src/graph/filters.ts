import type { EnumRef } from '@pothos/core';
import { failOnFaults } from '../kernel/errors/fail.js';
import { builder } from './builder.js';
import { FILTER_VALUES_MAX } from './limits.js';

/** Values of a field that rows must have; what is left out or null does not narrow. */
export interface ValueFilter<T = string> {
  readonly eq?: T | null;
  readonly in?: readonly T[] | null;
}

/** Bounds of a field, for times: half open, so that periods can be joined. */
export interface TimeFilter {
  readonly gte?: Date | null;
  readonly lt?: Date | null;
}

/** Bounds of an amount in micro-rubles, both included. */
export interface AmountFilter {
  readonly gte?: bigint | null;
  readonly lte?: bigint | null;
}

const EQ = 'Only rows with exactly this value.';
const IN =
  `Only rows with one of these values, at most ${FILTER_VALUES_MAX}; ` +
  'none match an empty list.';

/** Narrows by a text. */
export const StringFilter = builder.inputType('StringFilter', {
  description: 'Narrows a list by a text; conditions that are left out do not narrow.',
  fields: (t) => ({
    eq: t.string({ description: EQ }),
    in: t.stringList({ description: IN }),
  }),
});

/** Narrows by an id. */
export const IdFilter = builder.inputType('IdFilter', {
  description: 'Narrows a list by an id; conditions that are left out do not narrow.',
  fields: (t) => ({
    eq: t.id({ description: EQ }),
    in: t.idList({ description: IN }),
  }),
});

/** Narrows by a time. */
export const DateTimeFilter = builder.inputType('DateTimeFilter', {
  description: 'Narrows a list to a period; the end is not part of it, so that periods join.',
  fields: (t) => ({
    gte: t.field({ type: 'DateTime', description: 'Only rows at or after this time.' }),
    lt: t.field({ type: 'DateTime', description: 'Only rows before this time.' }),
  }),
});

/** Narrows by an amount. */
export const RubFilter = builder.inputType('RubFilter', {
  description: 'Narrows a list by an amount; conditions that are left out do not narrow.',
  fields: (t) => ({
    gte: t.field({ type: 'Rub', description: 'Only rows of this amount or more.' }),
    lte: t.field({ type: 'Rub', description: 'Only rows of this amount or less.' }),
  }),
});

/** The filter by an enum, named after it. Each enum has one; it is made where the enum is. */
export function enumFilter<T, U>(type: EnumRef<typeof builder.$inferSchemaTypes, T, U>) {
  return builder.inputType(`${type.name}Filter`, {
    description: `Narrows a list by \`${type.name}\`; conditions that are left out do not narrow.`,
    fields: (t) => ({
      eq: t.field({ type, description: EQ }),
      in: t.field({ type: [type], description: IN }),
    }),
  });
}

/**
 * The values that rows may have by a filter; undefined where it does not narrow.
 * @throws invalid_request for more values than a list takes
 */
export function acceptedValues<T>(filter: ValueFilter<T> | null | undefined): T[] | undefined {
  const { eq, in: values } = filter ?? {};
  const message = `in takes at most ${FILTER_VALUES_MAX} values.`;
  const tooMany = (values?.length ?? 0) > FILTER_VALUES_MAX;
  failOnFaults(tooMany ? [{ path: 'filter', code: 'out_of_range', message }] : []);
  if (eq == null) return values ? [...values] : undefined;
  return !values || values.includes(eq) ? [eq] : [];
}

/** A filter by values as Prisma's condition on a column. */
export function valuesWhere<T>(filter: ValueFilter<T> | null | undefined) {
  const values = acceptedValues(filter);
  return values && { in: values };
}

/** A filter by time as Prisma's condition on a column. */
export function timeWhere(filter: TimeFilter | null | undefined) {
  return { gte: filter?.gte ?? undefined, lt: filter?.lt ?? undefined };
}

/** The order of a list: everything that is listed is ordered by the time it was made. */
export const ListOrder = builder.enumType('ListOrder', {
  description: 'The order of a list. Everything that is listed is ordered by when it was made.',
  values: {
    newest_first: { description: 'What was made last comes first.' },
    oldest_first: { description: 'What was made first comes first.' },
  } as const,
});

/** A value of `ListOrder`; absent for the newest first. */
export type Order = 'newest_first' | 'oldest_first' | null | undefined;

/** What the argument `orderBy` of every list says. */
export const ORDER_BY = 'The order of the list; by default what was made last comes first.';

/** An order as Prisma's, by ids, which grow with time. */
export function byId(order: Order) {
  return { id: order === 'oldest_first' ? 'asc' : 'desc' } as const;
}
