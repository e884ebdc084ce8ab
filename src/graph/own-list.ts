import type { GivenValues } from '../kernel/fields/faults.js';
import type { Fields } from '../kernel/fields/field.js';
import { builder } from './builder.js';
import type { Ctx } from './ctx.js';
import { database } from './database.js';
import { byId, filterArgs, type ListFilter } from './filters.js';
import { pageComplexity } from './page.js';
import type { Permission } from './permissions.js';
import { argsOf } from './table-types.js';

/** A list of rows of the caller's organization, as a module publishes it. */
interface OwnList {
  /** The query, such as `apiKeys`. */
  readonly field: string;
  /** What is listed: the rows lie in the table that is named like it. */
  readonly type: { readonly name: string };
  readonly description: string;
  readonly permission: Permission;
  /** What all rows of the list have, whatever the caller asks for. */
  readonly always?: object;
  /** What all rows have that this caller sees, such as those of its workspace. */
  readonly within?: (ctx: Ctx) => object | Promise<object>;
  /** Arguments that narrow the list to rows with the same value in the column of their name. */
  readonly by?: Fields;
  /** Conditions by the names of such arguments, which hold where an argument is left out. */
  readonly unasked?: Readonly<Record<string, object>>;
  /** Comparators that narrow the list. With them the caller chooses the order too. */
  readonly filter?: ListFilter;
  /** What of the list the filter leaves, such as `keys`. */
  readonly noun?: string;
  /** Whether the list says how many rows it has. */
  readonly counts?: boolean;
}

/** Publishes a list of rows by their ids, which grow with time: newest first unless asked. */
export function ownList({ field, type, description, permission, ...list }: OwnList): void {
  const {
    by = {},
    unasked = {},
    filter,
    noun = 'rows',
    counts = false,
    always = {},
    within,
  } = list;
  const conditions = (args: GivenValues) => ({
    ...always,
    ...Object.fromEntries(Object.keys(by).map((name) => [name, args[name] ?? unasked[name]])),
    ...filter?.where(args.filter as GivenValues | null),
  });
  const whereOf = async (ctx: Ctx, args: GivenValues) =>
    within ? { AND: [conditions(args), await within(ctx)] } : conditions(args);
  builder.queryField(field, (t) =>
    t.prismaConnection({
      type: type as never,
      cursor: 'id' as never,
      description,
      authScopes: { can: permission },
      complexity: pageComplexity,
      args: {
        ...argsOf(t, by),
        ...(filter && filterArgs(t, filter, noun)),
      },
      ...(counts && {
        totalCount: async (_root: unknown, args: object, ctx: Ctx) =>
          tableOf(ctx, type.name).count({ where: await whereOf(ctx, { ...args }) }),
      }),
      resolve: async (query, _root, args, ctx) =>
        tableOf(ctx, type.name).findMany({
          ...query,
          where: await whereOf(ctx, { ...args }),
          orderBy: byId(args.orderBy),
        }) as never,
    }),
  );
}

/** What every table of the database offers. */
interface Table {
  findMany(query: object): Promise<{ readonly id: string }[]>;
  count(query: object): Promise<number>;
}

/** The table that is named like a type or a kind of ids, as the caller's tenant sees it. */
export function tableOf(ctx: Ctx, type: string): Table {
  return Reflect.get(database(ctx), type.charAt(0).toLowerCase() + type.slice(1)) as Table;
}
