import { ObjectRef, RootFieldBuilder } from '@pothos/core';
// Brings the method that is replaced below.
import '@pothos/plugin-relay';

interface Named {
  readonly name: string;
}

interface Maker {
  connectionObject(connection: object, edge: object): unknown;
}

/** The part of a field builder that makes the field `totalCount`. */
interface IntField {
  int(options: object): unknown;
}

interface Counted {
  readonly totalCount?: () => Promise<number>;
}

/** The field of lists that say what they count; the statement runs only where it is asked for. */
function countField(t: IntField) {
  return {
    totalCount: t.int({
      description:
        'How many items the whole list has with its filter, whatever the page. It is counted ' +
        'by an index, with a statement of its own.',
      // The mark by which the list is not read where only this is asked for.
      extensions: { pothosPrismaTotalCount: true },
      resolve: ({ totalCount }: Counted) => totalCount?.(),
    }),
  };
}

const made = new WeakMap<object, Map<string, unknown>>();

/** The connection type of a type of items: made when it is first asked for, the same ever after. */
export function connectionType(builder: object, item: Named, counts = false): unknown {
  const types = made.get(builder) ?? new Map<string, unknown>();
  made.set(builder, types);
  const known = types.get(item.name);
  if (known && !counts) return known;
  if (known) throw new Error(`the list of ${item.name} that counts must be the only one`);
  const connection = (builder as Maker).connectionObject(
    {
      type: item,
      name: `${item.name}Connection`,
      description: `A page of a list of \`${item.name}\`, with what it takes to read the next one.`,
      fields: counts ? countField : undefined,
    },
    {
      name: `${item.name}Edge`,
      description: `A \`${item.name}\` and its place in the list that it was read from.`,
    },
  );
  types.set(item.name, connection);
  return connection;
}

interface ListField {
  connection(options: { readonly type: Named }, connection?: unknown, edge?: unknown): unknown;
}

/**
 * The relay plugin makes a connection type for each field. Here lists of the same items have the
 * same type (`ApiKeyConnection`, `ApiKeyEdge`), whichever field returns them, so that clients write
 * one fragment for all of them; and no field has to ask for it.
 */
const fields = RootFieldBuilder.prototype as unknown as ListField & { readonly builder: object };
const connectionOfField = fields.connection;
fields.connection = function connection(this: typeof fields, options, given) {
  if (given instanceof ObjectRef) return connectionOfField.call(this, options, given);
  // The Prisma plugin adds fields of its own where a list has a total count, and nowhere else.
  const counts = (given as { readonly fields?: unknown } | undefined)?.fields !== undefined;
  return connectionOfField.call(this, options, connectionType(this.builder, options.type, counts));
};
