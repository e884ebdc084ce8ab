import { join } from 'node:path';
import {
  type FragmentDefinitionNode,
  type GraphQLDirective,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  specifiedRules,
  typeFromAST,
  validate,
  valueFromAST,
  visit,
} from 'graphql';
import { compileBind, type VariableRow } from './bind.js';
import {
  pathParameters,
  type RestAuth,
  type RestContract,
  readContract,
  withRestDirective,
} from './contract.js';
import { exampleFault } from './example.js';
import { compileExecution } from './execute.js';
import {
  completePaging,
  isConnection,
  onlyRootField,
  PAGE_LIMIT_DEFAULT,
  PAGE_LIMIT_MAX,
  pagingOf,
} from './paging.js';
import type { Fragments } from './projection.js';
import { commentOf, describe, lineOf, type RouteFile, readRouteFiles } from './route-file.js';
import type { CompiledRow, Condition, RestTable } from './row.js';
import { faultsAmongRows, faultsOfRow } from './row-rules.js';
import { compileShape, shapeOf } from './shape.js';
import { compileWirePaths } from './wire-paths.js';

/** What a table is made from. */
export interface TableOptions {
  readonly schema: GraphQLSchema;
  /** The folder that holds rest.graphql. */
  readonly directory: string;
  /** The folder of the rows; `routes` below `directory` unless stated. */
  readonly routesDirectory?: string;
  /** The access that a field of the schema demands, where it says so; must agree with the row. */
  readonly authOf?: (field: GraphQLField<unknown, unknown>) => RestAuth | undefined;
}

/**
 * Reads every row, validates it against the schema and compiles it.
 * @throws Error that lists every wrong row with file and line
 */
export function loadTable(options: TableOptions): RestTable {
  const { schema, directive } = withRestDirective(
    options.schema,
    join(options.directory, 'rest.graphql'),
  );
  const wrong: string[] = [];
  const routes = options.routesDirectory ?? join(options.directory, 'routes');
  const files = readRouteFiles(routes, (message) => wrong.push(message));
  const rows = files.flatMap((file) => compileFile(file, { ...options, schema }, directive, wrong));
  wrong.push(...faultsAmongRows(rows));
  if (wrong.length > 0) throw new Error(`Wrong REST rows:\n${wrong.join('\n')}`);
  return { rows, schema };
}

function compileFile(
  file: RouteFile,
  options: TableOptions,
  directive: GraphQLDirective,
  wrong: string[],
): CompiledRow[] {
  const completed = file.operations.map((operation) => {
    const root = options.schema.getRootType(operation.operation);
    return root ? completePaging(operation, root) : operation;
  });
  const document = { ...file.document, definitions: [...completed, ...file.fragments.values()] };
  const errors = validate(options.schema, document, specifiedRules);
  for (const error of errors) wrong.push(describe(error, file.path));
  if (errors.length > 0) return [];
  return completed.flatMap((operation) => {
    const line = lineOf(operation);
    try {
      const row = compileRow(file, operation, options, directive);
      const faults = [...faultsOfRow(row), ...exampleFault(row)];
      for (const fault of faults) wrong.push(`${row.location}: ${fault}`);
      return [row];
    } catch (error) {
      wrong.push(describe(error, file.path, line));
      return [];
    }
  });
}

function compileRow(
  file: RouteFile,
  operation: OperationDefinitionNode,
  options: TableOptions,
  directive: GraphQLDirective,
): CompiledRow {
  const { schema } = options;
  const contract = readContract(directive, operation);
  if (!contract) throw new Error('the operation needs @rest');
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  const roots = operation.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('fragments at the root are not read');
    return selection;
  });
  for (const node of roots) agreeOnAccess(root, node.name.value, contract, options.authOf);
  const fragments = usedFragments(operation, file.fragments);
  const shape = shapeOf(schema, operation, root, fragments, contract);
  const path = pathParameters(contract.path);
  const variables = variableRows(schema, operation, root);
  const condition = conditionOf(contract);
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
    wirePaths: compileWirePaths(roots, variables, contract.body),
    bind: compileBind({
      variables,
      pathParameters: path.names,
      takesBody: takesBody(contract),
      bodyVariable: contract.body,
      ignoreUnknown: contract.ignoreUnknown,
      reservedQuery: reservedQuery(contract),
      reservedField: condition?.kind === 'body' ? condition.field : undefined,
    }),
    run: execution.run,
    subscribe: execution.subscribe,
  };
}

/** True for the methods whose fields come in a body. */
export function takesBody(contract: RestContract): boolean {
  return contract.method !== 'GET' && contract.method !== 'DELETE';
}

function reservedQuery(contract: RestContract): readonly string[] {
  const condition = conditionOf(contract);
  const chosenBy = condition?.kind === 'query' ? [condition.parameter] : [];
  return contract.codec === 'CSV' ? [...chosenBy, 'bom', 'limit', 'cursor'] : chosenBy;
}

function conditionOf(contract: RestContract): Condition | undefined {
  if (contract.when === undefined) return undefined;
  const [name = '', value] = contract.when.split('=', 2);
  if (value === undefined) return { kind: 'body', field: name };
  return { kind: 'query', parameter: name, value };
}

function agreeOnAccess(
  root: GraphQLObjectType,
  fieldName: string,
  contract: RestContract,
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
