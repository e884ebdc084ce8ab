import type { OutputType } from '@pothos/core';
import { builder } from './builder.js';
import { connectionType } from './connection-type.js';
import { PAGE_DEFAULT } from './limits.js';
import { PAGE_ARGUMENTS } from './page-texts.js';
import type { RootFields } from './table-types.js';

/** The price of a connection: about one point for each item it may return. */
export function pageComplexity(args: { first?: number | null; last?: number | null }) {
  const size = args.first ?? args.last ?? PAGE_DEFAULT;
  return { field: 1, multiplier: Math.max(1, size) };
}

/** Newest first: ids are ordered by time. */
export const NEWEST_FIRST = { id: 'desc' } as const;

type Types = typeof builder.$inferSchemaTypes;
type Made<Type extends OutputType<Types>> = ReturnType<
  typeof builder.connectionObject<Type, unknown>
>;

/** The type of a list that is no `t.connection`, since it is read in one direction only. */
export function connectionOf<Type extends OutputType<Types> & { readonly name: string }>(
  type: Type,
): Made<Type> {
  return connectionType(builder, type) as Made<Type>;
}

/** The arguments of a list that is read in one direction only. */
export function forwardArgs({ arg }: Pick<RootFields, 'arg'>) {
  return {
    first: arg.int({ description: PAGE_ARGUMENTS.first }),
    after: arg.string({ description: PAGE_ARGUMENTS.after }),
  };
}
