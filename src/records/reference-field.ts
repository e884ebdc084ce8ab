import { builder } from '../graph/builder.js';
import { shownFields } from '../graph/table-types.js';
import {
  type Fields,
  type FieldTable,
  fieldTable,
  text,
  type ValuesOf,
} from '../kernel/fields/field.js';
import { sealedContent } from '../kernel/fields/sealed.js';
import type { Vocabulary, VocabularyRow } from '../kernel/vocabulary.js';
import { defineReference, type ReferenceEntry } from './references.js';

/** A list as a module publishes it. */
interface PublishedList {
  /** What one row is, such as `verb`: the list is `<module>.<noun>` too. */
  readonly noun: string;
  readonly description: string;
  readonly rows: readonly VocabularyRow[];
  /** The type of a row, where more is told of it than code and description. */
  readonly row?: FieldTable;
}

/** A vocabulary as a published list of code and description. */
export function codes(noun: string, from: Vocabulary): PublishedList {
  return { noun, description: from.description, rows: from.rows };
}

/** A list of which more is told: `row` describes what, besides code and description. */
export function rows<F extends Fields>(
  noun: string,
  from: readonly (VocabularyRow & ValuesOf<F>)[],
  row: FieldTable<F>,
): PublishedList {
  return { noun, description: row.description, rows: from, row: row as unknown as FieldTable };
}

/** What a module says of its reference. */
interface ReferenceDefinition {
  /** The module, as the names of its lists begin. */
  readonly module: string;
  /** The GraphQL type, such as `ToolsReference`; the query is called the same. */
  readonly type: string;
  readonly description: string;
  readonly lists: Readonly<Record<string, PublishedList>>;
  /** Bounds and thresholds that the module decides by beside its lists. */
  readonly figures?: { readonly fields: Fields; readonly values: ValuesOf<Fields> };
}

const WORD = fieldTable('ReferenceWord', 'A value of a published list.', {
  code: text('The value on the wire.'),
  description: text('What the value means.'),
});

/** Nothing but the lists that the rules read. */
const LISTS = {};

/**
 * Publishes the lists that a module decides by: each under its name among all references, and all
 * of them as one public query whose types follow from the lists.
 * @returns the type, for whatever a module publishes beside lists
 */
export function publishReference(definition: ReferenceDefinition) {
  const { module, type: name, description, figures } = definition;
  const lists = Object.entries(definition.lists);
  for (const [, each] of lists) {
    defineReference(
      `${module}.${each.noun}`,
      each.rows.map((row) => entryOf(row, each)),
    );
  }
  const type = builder.objectRef<typeof LISTS>(name).implement({
    description,
    fields: (t) => ({
      ...Object.fromEntries(
        lists.map(([field, each]) => [
          field,
          t.field({
            type: [rowType(each)] as never,
            description: each.description,
            resolve: () => each.rows as never,
          }),
        ]),
      ),
      ...(figures && (shownFields(t, figures.fields, () => figures.values) as object)),
    }),
  });
  builder.queryField(`${name.charAt(0).toLowerCase()}${name.slice(1)}`, (t) =>
    t.field({ type, description, complexity: { field: 1, multiplier: 1 }, resolve: () => LISTS }),
  );
  return type;
}

/** A row under the names of the wire, with everything that is published of it. */
function entryOf(row: VocabularyRow, { row: table }: PublishedList): ReferenceEntry {
  const { code, description } = row;
  const more = table ? sealedContent(table.fields, row as unknown as ValuesOf<Fields>) : {};
  return { code, description, ...more };
}

const rowTypes = new Map<FieldTable, unknown>();

function rowType({ row }: PublishedList): unknown {
  const table = row ?? (WORD as unknown as FieldTable);
  const known = rowTypes.get(table);
  if (known) return known;
  const fields = { ...WORD.fields, ...table.fields };
  const made = builder.objectRef<ValuesOf<Fields>>(table.name).implement({
    description: table.description,
    fields: (t) => shownFields(t, fields, (values) => values) as never,
  });
  rowTypes.set(table, made);
  return made;
}
