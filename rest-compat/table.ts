import { join } from 'node:path';
import {
  type GraphQLError,
  type GraphQLField,
  type GraphQLSchema,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  specifiedRules,
  type ValidationRule,
  validate,
} from 'graphql';
import type { AliasTable } from './alias-table.js';
import { choicesOf, compileRow, type RowFile } from './compile-row.js';
import { withEveryField } from './every-field.js';
import { exampleFault } from './example.js';
import { faultsOfAliases, InputNames } from './input-names.js';
import { completePaging } from './paging.js';
import { type RestAuth, type RestSchema, withDirectives } from './rest-directive.js';
import {
  describe,
  hashOfRows,
  inReadingOrder,
  lineOf,
  type RouteFile,
  readRouteFiles,
} from './route-file.js';
import type { CompiledRow, RestTable } from './row.js';
import { faultsAmongRows, faultsOfRow } from './row-rules.js';
import { once } from './served.js';

/** What a table is made from. */
export interface TableOptions {
  readonly schema: GraphQLSchema;
  /** The folder that holds rest.graphql. */
  readonly directory: string;
  /** The folder of the rows; `routes` below `directory` unless stated. */
  readonly routesDirectory?: string;
  /** What is accepted beside the names of input objects. */
  readonly aliases?: AliasTable;
  /** The access that a field of the schema demands, where it says so; must agree with the row. */
  readonly authOf?: (field: GraphQLField<unknown, unknown>) => RestAuth | undefined;
  /** The hash of rows that were validated before, against this schema: these are not once more. */
  readonly proven?: string;
}

/**
 * Reads every row, validates it against the schema and compiles it.
 * @throws Error that lists every wrong row with file and line
 */
export function loadTable(options: TableOptions): RestTable {
  const made = withDirectives(options.schema, join(options.directory, 'rest.graphql'));
  const { schema } = made;
  const aliases = options.aliases ?? {};
  const wrong = faultsOfAliases(aliases, schema);
  const names = new InputNames(aliases);
  const routes = options.routesDirectory ?? join(options.directory, 'routes');
  const files = readRouteFiles(routes, (message) => wrong.push(message));
  const validates = options.proven !== hashOfRows(files);
  const plan = { ...made, names, authOf: options.authOf, validates };
  const ordered = inReadingOrder(files);
  const rows = ordered.flatMap((file) => compileFile(file, plan, wrong));
  wrong.push(...faultsAmongRows(rows));
  if (wrong.length > 0) throw new Error(`Wrong REST rows:\n${wrong.join('\n')}`);
  const moduleTexts = new Map(ordered.map(({ module, about }) => [module, about]));
  return { rows, moduleTexts, schema, names };
}

/** What every row is compiled against. */
interface TablePlan extends RestSchema {
  readonly validates: boolean;
  readonly names: InputNames;
  readonly authOf: TableOptions['authOf'];
}

function compileFile(written: RouteFile, plan: TablePlan, wrong: string[]): CompiledRow[] {
  const completed = once(() => completedFile(written, plan));
  const errors = plan.validates ? faultsOfFile(written, completed, plan) : [];
  wrong.push(...errors);
  if (errors.length > 0) return [];
  const file: RowFile = { written, completed, choices: once(() => choicesOf(written, plan)) };
  return written.operations.flatMap((operation, index) => {
    const line = lineOf(operation);
    try {
      const row = compileRow(file, index, plan);
      // Rows that were proven are not even compiled before somebody asks for them.
      const faults = plan.validates ? [...faultsOfRow(row), ...exampleFault(row)] : [];
      for (const fault of faults) wrong.push(`${row.location}: ${fault}`);
      return [row];
    } catch (error) {
      wrong.push(describe(error, written.path, line));
      return [];
    }
  });
}

/** What the validator says, first of the directives, which decide what the rows are. */
function faultsOfFile(
  written: RouteFile,
  completed: () => RouteFile,
  { schema }: TablePlan,
): readonly string[] {
  const early = faultsOf(written, schema, [KnownDirectivesRule, KnownArgumentNamesRule]);
  try {
    const errors = early.length > 0 ? early : faultsOf(completed(), schema, specifiedRules);
    return errors.map((error) => describe(error, written.path));
  } catch (error) {
    return [describe(error, written.path)];
  }
}

function faultsOf(
  { document }: RouteFile,
  schema: GraphQLSchema,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  return validate(schema, document, rules);
}

/** The file with what its rows need not write: the fields of `@all`, and paging. */
function completedFile(file: RouteFile, { schema, all }: TablePlan): RouteFile {
  const plan = { schema, directive: all, fragments: file.fragments };
  const operations = file.operations.map((operation) => {
    const root = schema.getRootType(operation.operation);
    return root ? completePaging(withEveryField(operation, root, plan), root) : operation;
  });
  const fragments = new Map(
    [...file.fragments].map(([name, fragment]) => {
      const type = schema.getType(fragment.typeCondition.name.value);
      return [name, withEveryField(fragment, type, plan)] as const;
    }),
  );
  const document = { ...file.document, definitions: [...operations, ...fragments.values()] };
  return { ...file, document, operations, fragments };
}
