import { join } from 'node:path';
import {
  type FragmentDefinitionNode,
  type GraphQLError,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getDirectiveValues,
  isInputType,
  Kind,
  KnownArgumentNamesRule,
  KnownDirectivesRule,
  type OperationDefinitionNode,
  specifiedRules,
  typeFromAST,
  type ValidationRule,
  validate,
  valueFromAST,
  visit,
} from 'graphql';
import type { AliasTable } from './alias-table.js';
import { compileBind, type VariableRow } from './bind.js';
import { withEveryField } from './every-field.js';
import { exampleFault } from './example.js';
import { compileExecution } from './execute.js';
import { faultsOfAliases, InputNames } from './input-names.js';
import {
  completePaging,
  isConnection,
  onlyRootField,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pagingOf,
} from './paging.js';
import type { Fragments } from './projection.js';
import {
  pathParameters,
  type RestAuth,
  type RestDirective,
  type RestSchema,
  readContract,
  withDirectives,
} from './rest-directive.js';
import {
  commentOf,
  describe,
  hashOfRows,
  inReadingOrder,
  lineOf,
  type RouteFile,
  readRouteFiles,
} from './route-file.js';
import type { CompiledRow, Condition, RestTable } from './row.js';
import { faultsAmongRows, faultsOfRow } from './row-rules.js';
import { compileShape, shapeOf } from './shape.js';
import { variableUses } from './variable-uses.js';
import { compileWirePaths } from './wire-paths.js';

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
  const early = faultsOf(written, plan, [KnownDirectivesRule, KnownArgumentNamesRule]);
  let file = written;
  try {
    if (early.length === 0) file = completedFile(written, plan);
  } catch (error) {
    wrong.push(describe(error, file.path));
    return [];
  }
  const errors = early.length > 0 ? early : faultsOf(file, plan, specifiedRules);
  for (const error of errors) wrong.push(describe(error, file.path));
  if (errors.length > 0) return [];
  const choices = choicesOf(file, plan);
  return file.operations.flatMap((operation) => {
    const line = lineOf(operation);
    try {
      const row = compileRow(file, operation, plan, choices);
      const faults = [...faultsOfRow(row), ...exampleFault(row)];
      for (const fault of faults) wrong.push(`${row.location}: ${fault}`);
      return [row];
    } catch (error) {
      wrong.push(describe(error, file.path, line));
      return [];
    }
  });
}

function faultsOf(
  { document }: RouteFile,
  { schema, validates }: TablePlan,
  rules: readonly ValidationRule[],
): readonly GraphQLError[] {
  return validates ? validate(schema, document, rules) : [];
}

/** What chooses among the rows of a path: fields of the body, and parameters with their values. */
interface Choice {
  readonly body: readonly string[];
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** The choices by method and path. */
type Choices = ReadonlyMap<string, Choice>;

function choicesOf(file: RouteFile, { rest }: TablePlan): Choices {
  const choices = new Map<string, Choice>();
  for (const operation of file.operations) {
    const contract = getDirectiveValues(rest, operation) as RestDirective | undefined;
    const condition = contract && conditionOf(contract);
    if (!contract || !condition) continue;
    const key = choiceKey(contract);
    choices.set(key, withCondition(choices.get(key) ?? NO_CHOICE, condition));
  }
  return choices;
}

const NO_CHOICE: Choice = { body: [], query: new Map() };

/** What takes the request where no condition does is `json` among formats of the answer. */
function withCondition({ body, query }: Choice, condition: Condition): Choice {
  if (condition.kind === 'body') return { body: [...body, condition.field], query };
  const { parameter, values } = condition;
  const known = query.get(parameter) ?? fallbackValues(parameter);
  return { body, query: new Map([...query, [parameter, [...known, ...values]]]) };
}

function choiceKey({ method, path }: RestDirective): string {
  return `${method} ${path}`;
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

function compileRow(
  file: RouteFile,
  operation: OperationDefinitionNode,
  plan: TablePlan,
  choices: Choices,
): CompiledRow {
  const { schema } = plan;
  const contract = readContract(plan.rest, operation);
  if (!contract) throw new Error('the operation needs @rest');
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  const roots = operation.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('fragments at the root are not read');
    return selection;
  });
  for (const node of roots) agreeOnAccess(root, node.name.value, contract, plan.authOf);
  const fragments = usedFragments(operation, file.fragments);
  const shape = shapeOf(schema, operation, root, fragments, contract);
  const path = pathParameters(contract.path);
  const variables = variableRows(schema, operation, root);
  const uses = variableUses(root, roots);
  const condition = conditionOf(contract);
  const names = plan.names.renamed(contract.rename);
  const execution = compileExecution({
    schema,
    operation,
    fragments,
    root,
    shape: compileShape(shape, path.names.at(-1)),
  });
  return {
    contract,
    name: operation.name?.value ?? '',
    operationKind: operation.operation,
    rootFields: roots.map(({ name }) => name.value),
    module: file.module,
    location: `${file.path}:${lineOf(operation) ?? 1}`,
    ...commentOf(operation),
    pathParameters: path.names,
    variables,
    condition,
    shape,
    names,
    uses,
    wirePaths: compileWirePaths(uses, variables, contract.body, names),
    bind: compileBind({
      variables,
      pathParameters: path.names,
      takesBody: takesBody(contract),
      bodyVariable: contract.body,
      control: contract.control,
      names,
      foreignQuery: contract.foreignQuery,
      reservedQuery: contract.codec === 'CSV' ? ['bom'] : [],
      chosenQuery: choices.get(choiceKey(contract))?.query ?? new Map(),
      choices: choices.get(choiceKey(contract))?.body ?? [],
      chosenBy: condition?.kind === 'body' ? condition.field : undefined,
    }),
    run: execution.run,
    subscribe: execution.subscribe,
  };
}

/** True for the methods whose fields come in a body. */
export function takesBody(contract: RestDirective): boolean {
  return contract.method !== 'GET' && contract.method !== 'DELETE';
}

/** What a request without the parameter gets can be asked for by name. */
export function fallbackValues(parameter: string): readonly string[] {
  return parameter === 'format' ? ['json'] : [];
}

function conditionOf(contract: RestDirective): Condition | undefined {
  if (contract.when === undefined) return undefined;
  const [name = '', value] = contract.when.split('=', 2);
  if (value === undefined) return { kind: 'body', field: name };
  return { kind: 'query', parameter: name, values: value.split('|') };
}

function agreeOnAccess(
  root: GraphQLObjectType,
  fieldName: string,
  contract: RestDirective,
  authOf: TableOptions['authOf'],
): void {
  const field = root.getFields()[fieldName];
  const demanded = field && authOf?.(field);
  if (demanded === undefined || demanded === contract.auth) return;
  throw new Error(
    `${root.name}.${fieldName} has access ${demanded}, the row says ${contract.auth}`,
  );
}

/** The fragments that an operation spreads, through others too. */
function usedFragments(operation: OperationDefinitionNode, all: Fragments): Fragments {
  const used = new Map<string, FragmentDefinitionNode>();
  const follow = (node: OperationDefinitionNode | FragmentDefinitionNode) => {
    visit(node, {
      FragmentSpread({ name }) {
        const fragment = all.get(name.value);
        if (!fragment || used.has(name.value)) return;
        used.set(name.value, fragment);
        follow(fragment);
      },
    });
  };
  follow(operation);
  return used;
}

function variableRows(
  schema: GraphQLSchema,
  operation: OperationDefinitionNode,
  root: GraphQLObjectType,
): VariableRow[] {
  const node = onlyRootField(operation);
  const field = node && root.getFields()[node.name.value];
  const limit = node && field && isConnection(field) ? pagingOf(node).limit : undefined;
  return (operation.variableDefinitions ?? []).map((definition) => {
    const name = definition.variable.name.value;
    const type = inputType(typeFromAST(schema, definition.type), name);
    const written = definition.defaultValue && valueFromAST(definition.defaultValue, type);
    if (name !== limit) return { name, type, defaultValue: written };
    const range = { min: 1, max: PAGE_LIMIT_MAX };
    return { name, type, defaultValue: written ?? PAGE_LIMIT_DEFAULT, range };
  });
}

function inputType(type: GraphQLType | undefined, name: string): GraphQLInputType {
  if (!type || !isInputType(type)) throw new Error(`$${name} has no input type`);
  return type;
}
