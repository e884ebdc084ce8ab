import { getNamedType } from 'graphql';
import type { VariableRow } from './bind.js';
import { fallbackValues, takesBody } from './compile-row.js';
import type { ExampleRequest } from './example.js';
import { bodyVariables, type InputSchemas, isRequired, variableTexts } from './openapi-input.js';
import { described, type JsonSchema } from './openapi-schema.js';
import type { CompiledRow } from './row.js';

/**
 * The parameters of path, query and head of the rows of one path and method: those of the row that
 * takes what no condition takes, those by which another is chosen, and what only another one has.
 */
export function parametersOf(
  [row, ...others]: readonly [CompiledRow, ...CompiledRow[]],
  example: ExampleRequest,
  inputs: InputSchemas,
): JsonSchema[] {
  const parameters = [
    ...ownParameters(row, example, inputs),
    ...conditionParameters(others),
    ...others.flatMap((other) => ownParameters(other, example, inputs)),
    ...(others.some(({ contract }) => contract.codec === 'CSV') ? [BOM_PARAMETER] : []),
    ...(isKeyed(row) ? [KEY_PARAMETER] : []),
  ];
  const first = new Map<unknown, JsonSchema>();
  for (const each of parameters) if (!first.has(each.name)) first.set(each.name, each);
  return [...first.values()];
}

function ownParameters(
  row: CompiledRow,
  example: ExampleRequest,
  inputs: InputSchemas,
): JsonSchema[] {
  const texts = variableTexts(row);
  const paging = pagingTexts(row);
  const inBody = new Set(takesBody(row.contract) ? bodyVariables(row) : []);
  const own = row.variables.filter((variable) => !inBody.has(variable));
  return own.map((variable) => {
    const { name } = variable;
    const inPath = row.pathParameters.includes(name);
    const given = inPath ? example.path[name] : example.query[name];
    return {
      name,
      in: inPath ? 'path' : 'query',
      required: inPath || isRequired(variable),
      ...described({}, paging[name] ?? texts.get(name)),
      schema: inputs.variable(variable),
      ...(given === undefined
        ? {}
        : { example: asTyped(given, inputs.variable(variable), variable) }),
    };
  });
}

/** What the query has as text, as its schema sees it. */
function asTyped(text: string, { type }: JsonSchema, { type: graphqlType }: VariableRow): unknown {
  // Whole numbers of any size have a schema of their own.
  if (getNamedType(graphqlType).name === 'BigInt') return Number(text);
  if (type === 'integer' || type === 'number') return Number(text);
  if (type === 'boolean') return text === 'true';
  return type === 'array' ? text.split(',') : text;
}

/** What the variables of paging mean on the wire, where pages have no edges. */
function pagingTexts({ shape }: CompiledRow): Readonly<Record<string, string>> {
  const { limit, cursor } = (shape.kind === 'list' && shape.paging) || {};
  return {
    ...(limit === undefined ? {} : { [limit]: 'How many rows a page has at most.' }),
    ...(cursor === undefined ? {} : { [cursor]: 'Continues behind a page: its `next_cursor`.' }),
  };
}

const BOM_PARAMETER = {
  name: 'bom',
  in: 'query',
  required: false,
  description: 'True puts a byte order mark in front of a table of `format=csv`.',
  schema: { type: 'boolean', default: false },
} as const;

const FORMS_TEXT = 'The form of the answer; the operation tells what each of them is.';

/** The parameters by which a caller chooses another form of the answer, each once. */
function conditionParameters(rows: readonly CompiledRow[]): JsonSchema[] {
  const chosen = rows.flatMap(({ condition, summary }) =>
    condition?.kind === 'query' ? [{ ...condition, summary }] : [],
  );
  const names = [...new Set(chosen.map(({ parameter }) => parameter))];
  return names.map((name) => {
    const those = chosen.filter(({ parameter }) => parameter === name);
    const fallback = fallbackValues(name);
    const values = [...fallback, ...those.flatMap((each) => each.values)];
    const summaries = those.map(({ summary }) => summary).join(' ');
    const description = fallback.length > 0 ? FORMS_TEXT : summaries;
    const schema = { type: 'string', enum: values };
    return { name, in: 'query', required: false, description, schema };
  });
}

/** Whether a request of this row may carry a key, as `answerRow` decides. */
export function isKeyed({ contract }: CompiledRow): boolean {
  return contract.auth === 'B' && contract.method !== 'GET';
}

const KEY_PARAMETER = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'A text of your own that names this request, such as a UUID. Repeated with the same key and ' +
    'body, it is done and charged once, and the first answer is given again. Another body under ' +
    'the key is refused; failures keep nothing, so that repeating one tries again.',
  schema: { type: 'string' },
} as const;

/** The operations of a description, by method, of one path. */
type PathItem = Readonly<Record<string, JsonSchema>>;

/**
 * Names the parameters that stand in several operations alike, and puts references in their place.
 * The most frequent form of a name has that name, another one also that of its first operation.
 * @returns the named parameters
 */
export function sharedParameters(
  paths: Readonly<Record<string, PathItem>>,
): Record<string, JsonSchema> {
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  const forms = new Map<string, Form>();
  for (const operation of operations) {
    for (const parameter of (operation.parameters ?? []) as JsonSchema[]) {
      const key = formOf(parameter);
      const form = forms.get(key) ?? { parameter, first: String(operation.operationId), count: 0 };
      forms.set(key, { ...form, count: form.count + 1 });
    }
  }
  const named = namesOf([...forms].filter(([, { count }]) => count > 1));
  for (const operation of operations) {
    if (!operation.parameters) continue;
    operation.parameters = (operation.parameters as JsonSchema[]).map((parameter) => {
      const name = named.get(formOf(parameter))?.name;
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    });
  }
  const entries = [...named.values()].map(({ name, parameter }) => [name, parameter] as const);
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** A parameter as it stands in several operations. */
interface Form {
  readonly parameter: JsonSchema;
  readonly first: string;
  readonly count: number;
}

/**
 * The example is part of the form: a reference cannot carry one of its own, and the example of
 * another operation does not work beside the body of this one.
 */
function formOf(parameter: JsonSchema): string {
  return JSON.stringify(parameter);
}

function namesOf(
  forms: readonly (readonly [string, Form])[],
): ReadonlyMap<string, { readonly name: string; readonly parameter: JsonSchema }> {
  const taken = new Set<string>();
  const frequent = [...forms].sort(([, one], [, other]) => other.count - one.count);
  return new Map(
    frequent.map(([key, { parameter, first }]) => {
      const short = String(parameter.name);
      const name = taken.has(short) ? `${short}-${first}` : short;
      taken.add(name);
      return [key, { name, parameter }] as const;
    }),
  );
}
