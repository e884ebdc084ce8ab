import {
  type FragmentDefinitionNode,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  type GraphQLType,
  getDirectiveValues,
  getNullableType,
  isInputObjectType,
  isInputType,
  Kind,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromAST,
  visit,
} from 'graphql';
import { compileBind, type VariableRow } from './bind.js';
import { compileExecution } from './execute.js';
import type { InputNames } from './input-names.js';
import {
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
} from './rest-directive.js';
import { commentOf, lineOf, type RouteFile } from './route-file.js';
import type { CompiledRow, Condition } from './row.js';
import { once } from './served.js';
import { compileShape, shapeOf } from './shape.js';
import { variableUses } from './variable-uses.js';
import { compileWirePaths } from './wire-paths.js';

/** What rows are compiled against. */
export interface RowPlan extends RestSchema {
  readonly names: InputNames;
  readonly authOf: ((field: GraphQLField<unknown, unknown>) => RestAuth | undefined) | undefined;
}

/** A file of rows. What only compiled rows need of it is made with the first of them. */
export interface RowFile {
  readonly written: RouteFile;
  /** With what its rows need not write. */
  readonly completed: () => RouteFile;
  readonly choices: () => Choices;
}

/** What chooses among the rows of a path: fields of the body, and parameters with their values. */
interface Choice {
  readonly body: readonly string[];
  readonly query: ReadonlyMap<string, readonly string[]>;
}

/** The choices by method and path. */
export type Choices = ReadonlyMap<string, Choice>;

/** What chooses among the rows of each path of a file. */
export function choicesOf(file: RouteFile, { rest }: RowPlan): Choices {
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

/**
 * A row with what decides whether it takes a request. All else is compiled when it is first asked
 * for, and kept: of hundreds of rows, few are asked for in the life of a process.
 * @throws Error for an operation that is no row
 */
export function compileRow(file: RowFile, index: number, plan: RowPlan): CompiledRow {
  const { written } = file;
  const operation = operationAt(written, index);
  const stated = readContract(plan.rest, operation);
  if (!stated) throw new Error('the operation needs @rest');
  const contract = strictContract(stated, operation, plan.schema);
  const { root, roots } = rootsOf(operation, plan.schema);
  for (const node of roots) agreeOnAccess(root, node.name.value, contract, plan.authOf);
  const condition = conditionOf(contract);
  const parts = once(() => partsOf({ file, index, contract, condition }, plan));
  return {
    contract,
    name: operation.name?.value ?? '',
    operationKind: operation.operation,
    rootFields: roots.map(({ name }) => name.value),
    module: written.module,
    location: `${written.path}:${lineOf(operation) ?? 1}`,
    ...commentOf(operation),
    condition,
    get pathParameters() {
      return parts().pathParameters;
    },
    get variables() {
      return parts().variables;
    },
    get shape() {
      return parts().shape;
    },
    get names() {
      return parts().names;
    },
    get uses() {
      return parts().uses;
    },
    get wirePaths() {
      return parts().wirePaths;
    },
    get bind() {
      return parts().bind;
    },
    get run() {
      return parts().run;
    },
    get subscribe() {
      return parts().subscribe;
    },
  };
}

/**
 * What changes the records of an organization refuses every member that it does not know: it seals,
 * appends or sets, and what is silently missing from it stays missing. Mutations without a
 * credential, such as a login, and bodies of which nothing is known, such as a chat, are excepted.
 */
function strictContract(
  contract: RestDirective,
  operation: OperationDefinitionNode,
  schema: GraphQLSchema,
): RestDirective {
  if (operation.operation !== 'mutation' || contract.auth !== 'B') return contract;
  const body = operation.variableDefinitions?.find(
    ({ variable }) => variable.name.value === contract.body,
  );
  const type = body && typeFromAST(schema, body.type);
  const isOpaque = type !== undefined && !isInputObjectType(getNullableType(type));
  return isOpaque ? contract : { ...contract, control: true };
}

function operationAt({ operations }: RouteFile, index: number): OperationDefinitionNode {
  const operation = operations[index];
  if (!operation) throw new RangeError(`there is no operation ${index}`);
  return operation;
}

function rootsOf(operation: OperationDefinitionNode, schema: GraphQLSchema) {
  const root = schema.getRootType(operation.operation);
  if (!root) throw new Error(`the schema has no ${operation.operation}`);
  const roots = operation.selectionSet.selections.map((selection) => {
    if (selection.kind !== Kind.FIELD) throw new Error('fragments at the root are not read');
    return selection;
  });
  return { root, roots };
}

interface RowPlace {
  readonly file: RowFile;
  readonly index: number;
  readonly contract: RestDirective;
  readonly condition: Condition | undefined;
}

/** What it takes to answer a request, and to describe one. */
function partsOf({ file, index, contract, condition }: RowPlace, plan: RowPlan) {
  const { schema } = plan;
  const completed = file.completed();
  const operation = operationAt(completed, index);
  const { root, roots } = rootsOf(operation, schema);
  const fragments = usedFragments(operation, completed.fragments);
  const shape = shapeOf(schema, operation, root, fragments, contract);
  const path = pathParameters(contract.path);
  const variables = variableRows(schema, operation, root);
  const uses = variableUses(root, roots);
  const names = plan.names.renamed(contract.rename);
  const execution = compileExecution({
    schema,
    operation,
    fragments,
    root,
    shape: compileShape(shape, path.names.at(-1)),
  });
  const choice = file.choices().get(choiceKey(contract)) ?? NO_CHOICE;
  return {
    ...execution,
    pathParameters: path.names,
    variables,
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
      chosenQuery: choice.query,
      choices: choice.body,
      chosenBy: condition?.kind === 'body' ? condition.field : undefined,
    }),
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
  authOf: RowPlan['authOf'],
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
