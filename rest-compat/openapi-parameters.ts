import { isNonNullType } from 'graphql';
import type { VariableRow } from './bind.js';
import type { ExampleRequest } from './example.js';
import {
  described,
  type JsonSchema,
  type SchemaComponents,
  withDefault,
} from './openapi-schema.js';
import type { CompiledRow } from './row.js';
import { fallbackValues, takesBody } from './table.js';

/**
 * The parameters of path and query of the rows of one method and path: those of the row that takes
 * what no condition takes, those by which another is chosen, and what only another one has.
 */
export function rowParameters(
  [row, ...others]: readonly [CompiledRow, ...CompiledRow[]],
  example: ExampleRequest,
  components: SchemaComponents,
): JsonSchema[] {
  const parameters = [
    ...parametersOf(row, example, components),
    ...conditionParameters(others),
    ...others.flatMap((other) => parametersOf(other, example, components)),
    ...(others.some(({ contract }) => contract.codec === 'CSV') ? [BOM_PARAMETER] : []),
  ];
  const first = new Map<unknown, JsonSchema>();
  for (const each of parameters) if (!first.has(each.name)) first.set(each.name, each);
  return [...first.values()];
}

function parametersOf(
  row: CompiledRow,
  example: ExampleRequest,
  components: SchemaComponents,
): JsonSchema[] {
  const texts = variableTexts(row);
  const inBody = new Set(takesBody(row.contract) ? bodyVariables(row) : []);
  return row.variables
    .filter((variable) => !inBody.has(variable))
    .map((variable) => {
      const inPath = row.pathParameters.includes(variable.name);
      const given = inPath ? example.path[variable.name] : example.query[variable.name];
      const required = inPath || isRequired(variable);
      return {
        name: variable.name,
        in: inPath ? 'path' : 'query',
        required,
        ...described({}, texts.get(variable.name)),
        schema: withLimits(components.presentInput(variable.type), variable),
        ...(given === undefined ? {} : { example: given }),
      };
    });
}

const BOM_PARAMETER = {
  name: 'bom',
  in: 'query',
  required: false,
  description: 'True puts a byte order mark in front of a table of `format=csv`.',
  schema: { type: 'boolean', default: false },
} as const;

/** The parameters by which a caller chooses another form of the answer, each once. */
function conditionParameters(rows: readonly CompiledRow[]): JsonSchema[] {
  const chosen = rows.flatMap(({ condition, summary }) =>
    condition?.kind === 'query' ? [{ ...condition, summary }] : [],
  );
  const names = [...new Set(chosen.map(({ parameter }) => parameter))];
  return names.map((name) => {
    const those = chosen.filter(({ parameter }) => parameter === name);
    const description = those.map(({ summary }) => summary).join(' ');
    const values = [...fallbackValues(name), ...those.flatMap((each) => each.values)];
    const schema = { type: 'string', enum: values };
    return { name, in: 'query', required: false, description, schema };
  });
}

/** Adds what a variable says beside its type: a default and a range. */
export function withLimits(schema: JsonSchema, variable: VariableRow): JsonSchema {
  const complete = withDefault(schema, variable.defaultValue, variable.type);
  if (!variable.range) return complete;
  return { ...complete, minimum: variable.range.min, maximum: variable.range.max };
}

/** The variables that come in the body. */
export function bodyVariables(row: CompiledRow): readonly VariableRow[] {
  const { body } = row.contract;
  if (body !== undefined) return row.variables.filter((variable) => variable.name === body);
  return row.variables.filter((variable) => !row.pathParameters.includes(variable.name));
}

/** True for a variable that a request has to give. */
export function isRequired(variable: VariableRow): boolean {
  return isNonNullType(variable.type) && variable.defaultValue === undefined;
}

/** What the schema says about the first place that a variable fills. */
export function variableTexts({ uses }: CompiledRow): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const { variable, description } of uses) {
    if (description && !texts.has(variable)) texts.set(variable, description);
  }
  return texts;
}
