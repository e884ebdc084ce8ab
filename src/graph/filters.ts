import type { InputRef, InputType } from '@pothos/core';
import { failOnFaults } from '../kernel/errors/fail.js';
import type { GivenValues } from '../kernel/fields/faults.js';
import type { FieldKind, Fields, FieldTable } from '../kernel/fields/field.js';
import { shownName } from '../kernel/fields/names.js';
import type { Vocabulary } from '../kernel/vocabulary.js';
import { builder } from './builder.js';
import { FILTER_VALUES_MAX } from './limits.js';
import { enumOf, inputFieldsOf, type RootFields, type SchemaTypesOf } from './table-types.js';

/** Values of a field that rows must have; what is left out or null does not narrow. */
export interface ValueFilter<T = string> {
  readonly eq?: T | null;
  readonly in?: readonly T[] | null;
}

/**
 * Bounds of a field: times by `gte` and `lt`, so that periods join, or by `to`, where a day is in
 * the period; amounts by `gte`, `lte`.
 */
export interface BoundsFilter<T = Date | bigint> {
  readonly gte?: T | null;
  readonly lt?: T | null;
  readonly to?: T | null;
  readonly lte?: T | null;
}

const EQ = 'Only rows with exactly this value.';
const IN =
  `Only rows with one of these values, at most ${FILTER_VALUES_MAX}; ` +
  'none match an empty list.';

/** A filter by exact values; `by` says of what. */
function valueFilter(name: string, type: InputType<SchemaTypesOf>, by: string): InputRef {
  return builder.inputType(name, {
    description: `Narrows a list by ${by}; conditions that are left out do not narrow.`,
    fields: (t) => ({
      eq: t.field({ type, description: EQ }),
      in: t.field({ type: [type], description: IN }),
    }),
  });
}

const DateTimeFilter = builder.inputType('DateTimeFilter', {
  description: 'Narrows a list to a period; the end is not part of it, so that periods join.',
  fields: (t) => ({
    gte: t.field({
      type: 'PeriodBegin',
      description: 'Only rows at or after this time; a day stands for its midnight in Moscow.',
    }),
    lt: t.field({
      type: 'PeriodBegin',
      description: 'Only rows before this time; a day stands for its midnight, so it is outside.',
    }),
    to: t.field({
      type: 'PeriodEnd',
      description: 'Only rows before this time; a day is in the period to its own end in Moscow.',
    }),
  }),
});

const RubFilter = builder.inputType('RubFilter', {
  description: 'Narrows a list by an amount; conditions that are left out do not narrow.',
  fields: (t) => ({
    gte: t.field({ type: 'Rub', description: 'Only rows of this amount or more.' }),
    lte: t.field({ type: 'Rub', description: 'Only rows of this amount or less.' }),
  }),
});

const enumFilters = new WeakMap<Vocabulary, InputRef>();

/** The filter by a vocabulary, named after its enum and made where it is first needed. */
function enumFilter(vocabulary: Vocabulary): InputRef {
  const known = enumFilters.get(vocabulary);
  if (known) return known;
  const type = enumOf(vocabulary);
  const made = valueFilter(`${type.name}Filter`, type, `\`${type.name}\``);
  enumFilters.set(vocabulary, made);
  return made;
}

const BY_KIND: Partial<Record<FieldKind, InputRef>> = {
  text: valueFilter('StringFilter', 'String', 'a text'),
  uuid: valueFilter('IdFilter', 'ID', 'an id'),
  instant: DateTimeFilter,
  money: RubFilter,
};

/** By what a list is narrowed, and the condition on rows that follows. */
export interface ListFilter {
  readonly type: InputRef<GivenValues>;
  /** What is stated, as Prisma's condition. @throws invalid_request for too many values */
  where(given: GivenValues | null | undefined): object;
}

/** What a filter takes besides comparators of columns, and the condition that follows. */
interface StatedPart {
  readonly fields: Fields;
  readonly where: (given: GivenValues) => object;
}

const NOTHING_STATED: StatedPart = { fields: {}, where: () => ({}) };

/** The filter of a list: each column of the table is narrowed by comparators of its kind. */
export function filterOf(table: FieldTable, stated = NOTHING_STATED): ListFilter {
  const { name: type, description, fields: columns } = table;
  const ref = builder.inputType(type, {
    description,
    fields: (t) => {
      const comparators = Object.entries(columns).map(
        ([name, { kind, vocabulary, description }]) => {
          const comparator = vocabulary ? enumFilter(vocabulary) : BY_KIND[kind];
          if (!comparator) throw new TypeError(`${type}.${name}: nothing is narrowed by a ${kind}`);
          return [shownName(name), t.field({ type: comparator, description })];
        },
      );
      return { ...Object.fromEntries(comparators), ...inputFieldsOf(t, stated.fields) };
    },
  });
  return {
    type: ref as InputRef<GivenValues>,
    where: (given) => (given ? { ...columnsWhere(columns, given), ...stated.where(given) } : {}),
  };
}

function columnsWhere(columns: Fields, given: GivenValues): object {
  const conditions = Object.entries(columns).map(([name, { kind }]) => {
    const stated = given[shownName(name)] as never;
    return [
      name,
      kind === 'instant' || kind === 'money' ? boundsWhere(stated) : valuesWhere(stated),
    ];
  });
  return Object.fromEntries(conditions);
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

/** Bounds of a column as Prisma's condition on it. */
export function boundsWhere(filter: BoundsFilter | null | undefined): object {
  const { to = null, ...bounds } = filter ?? {};
  const stated = Object.entries(bounds).filter(([, bound]) => bound !== null);
  const where = Object.fromEntries(stated) as { lt?: Date | bigint };
  if (to === null) return where;
  return { ...where, lt: where.lt !== undefined && where.lt < to ? where.lt : to };
}

/** The order of a list: everything that is listed is ordered by the time it was made. */
const ListOrder = builder.enumType('ListOrder', {
  description: 'The order of a list. Everything that is listed is ordered by when it was made.',
  values: {
    newest_first: { description: 'What was made last comes first.' },
    oldest_first: { description: 'What was made first comes first.' },
  } as const,
});

/** A value of `ListOrder`; absent for the newest first. */
export type Order = 'newest_first' | 'oldest_first' | null | undefined;

/** The arguments by which a list is narrowed and ordered; `noun` says what it lists. */
export function filterArgs({ arg }: Pick<RootFields, 'arg'>, filter: ListFilter, noun: string) {
  const order = 'The order of the list; by default what was made last comes first.';
  return {
    filter: arg({ type: filter.type, description: `Which ${noun} to list; all unless stated.` }),
    orderBy: arg({ type: ListOrder, description: order }),
  };
}

/** An order as Prisma's, by ids, which grow with time. */
export function byId(order: Order) {
  return { id: order === 'oldest_first' ? 'asc' : 'desc' } as const;
}
