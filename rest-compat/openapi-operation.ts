import { getNullableType, isInputObjectType, isRequiredInputField } from 'graphql';
import type { RecordedAnswer, RecordedAnswers } from './answers.js';
import type { VariableRow } from './bind.js';
import { tableTypes } from './codecs/table-format.js';
import { takesBody } from './compile-row.js';
import { type ExampleRequest, exampleRequest } from './example.js';
import { type ExampleChain, exampleChain, operationIdOf } from './example-sources.js';
import { type CodesOf, failuresOf } from './openapi-errors.js';
import { bodyVariables, type InputSchemas, isRequired, variableTexts } from './openapi-input.js';
import type { OutputSchemas } from './openapi-output.js';
import { isKeyed, parametersOf } from './openapi-parameters.js';
import { described, type JsonSchema } from './openapi-schema.js';
import type { CompiledRow } from './row.js';

/** What operations are described by. */
export interface OperationSources {
  readonly inputs: InputSchemas;
  readonly outputs: OutputSchemas;
  readonly answers: RecordedAnswers;
  readonly codesOf: CodesOf;
  /** Every row, since examples take what others make. */
  readonly rows: readonly CompiledRow[];
}

/** The row that takes what no condition takes, and the others of its method and path. */
export type RowGroup = readonly [CompiledRow, ...CompiledRow[]];

/** The description of the rows of one method and path. */
export function describeOperation(rows: RowGroup, sources: OperationSources): JsonSchema {
  const [row] = rows;
  const texts = variableTexts(row);
  const example = exampleRequest(row);
  const chain = exampleChain(row, sources.rows);
  const parameters = parametersOf(rows, withoutTaken(example, chain), sources.inputs);
  const withBody = takesBody(row.contract) && bodyVariables(row).length > 0;
  return {
    operationId: operationIdOf(row),
    tags: [row.module],
    summary: row.summary,
    ...described({}, longText(rows)),
    security: row.contract.auth === 'B' ? SCHEMES : [],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(withBody ? { requestBody: requestBody(row, texts, example, sources.inputs) } : {}),
    responses: {
      [row.contract.status]: success(rows, sources),
      ...failuresOf(row, sources.codesOf),
    },
    ...chainOf(chain),
  };
}

/** An id that only a server gives out has no example that would work. */
function withoutTaken(example: ExampleRequest, { from }: ExampleChain): ExampleRequest {
  const taken = new Set(from.flatMap(({ take }) => take.map(({ to }) => to)));
  const path = Object.fromEntries(
    Object.entries(example.path).filter(([name]) => !taken.has(name)),
  );
  return { ...example, path };
}

/** How the example is made to work, for whoever runs it; nothing where it works as it is. */
function chainOf({ from, needs }: ExampleChain): JsonSchema {
  return {
    ...(from.length > 0 ? { 'x-example-from': from } : {}),
    ...(needs === undefined ? {} : { 'x-example-needs': needs }),
  };
}

/** Bearer is last: clients that try their one token with scheme after scheme end with it. */
const SCHEMES = [{ x_api_key: [] }, { api_key: [] }, { basic: [] }, { bearer: [] }];

function longText([row, ...others]: RowGroup): string {
  const fields = row.shape.kind === 'fields' ? row.shape.fields : [row.shape.field];
  const texts = [
    row.description,
    ...fields.map((field) => field.description ?? ''),
    row.contract.control ? 'Unknown fields are refused, at every depth.' : '',
    ...others.map((other) => `With \`${other.contract.when}\`: ${other.summary}`),
  ];
  const long = [...new Set(texts)].filter((text) => text !== '').join('\n\n');
  return long === '' ? row.summary : long;
}

function requestBody(
  row: CompiledRow,
  texts: ReadonlyMap<string, string>,
  example: ExampleRequest,
  inputs: InputSchemas,
): JsonSchema {
  const variables = bodyVariables(row);
  const [whole] = variables;
  if (row.contract.body !== undefined && whole) {
    const content = { schema: inputs.whole(row, whole), example: example.body };
    return {
      ...described({}, texts.get(whole.name)),
      required: needsBody(whole),
      content: { 'application/json': content },
    };
  }
  const content = { schema: inputs.fields(row, variables, texts), example: example.body };
  return { required: variables.some(isRequired), content: { 'application/json': content } };
}

/** An absent body is an empty object, which is enough where no field is required. */
function needsBody({ type }: VariableRow): boolean {
  const named = getNullableType(type);
  return !isInputObjectType(named) || Object.values(named.getFields()).some(isRequiredInputField);
}

const CONTENT_TYPES = {
  JSON: 'application/json',
  SSE: 'text/event-stream',
  PROMETHEUS: 'text/plain',
  TEXT: 'text/plain',
  BASE64: 'application/octet-stream',
} as const;

/** A form of an answer, with the row that gives it. */
interface AnswerForm {
  readonly row: CompiledRow;
  readonly schema: JsonSchema;
  readonly recorded: RecordedAnswer | undefined;
}

function success(rows: RowGroup, { outputs, answers }: OperationSources): JsonSchema {
  const forms = new Map<string, AnswerForm[]>();
  for (const row of rows) {
    const schema = isValue(row) ? outputs.answer(row) : { type: 'string' };
    const recorded = answers.get(row.name);
    for (const type of contentTypes(row)) {
      const fitting = recorded?.contentType === type ? recorded : undefined;
      forms.set(type, [...(forms.get(type) ?? []), { row, schema, recorded: fitting }]);
    }
  }
  const [row] = rows;
  const content = Object.fromEntries([...forms].map(([type, those]) => [type, mediaType(those)]));
  return { description: row.summary, headers: headersOf(row), content };
}

/** Forms of one answer that share a content type are alternatives. */
function mediaType(forms: readonly AnswerForm[]): JsonSchema {
  const schemas = new Map(forms.map(({ schema }) => [JSON.stringify(schema), schema]));
  const [first, ...others] = schemas.values();
  const schema = others.length > 0 ? { anyOf: [first, ...others] } : first;
  const told = forms.filter(({ recorded }) => recorded);
  if (told.length < 2) return { schema, ...exampleOf(told[0]) };
  const examples = told.map((form) => [
    operationIdOf(form.row),
    { summary: form.row.summary, value: form.recorded?.body },
  ]);
  return { schema, examples: Object.fromEntries(examples) };
}

function exampleOf(form: AnswerForm | undefined): JsonSchema {
  return form?.recorded ? { example: form.recorded.body } : {};
}

function isValue({ contract }: CompiledRow): boolean {
  return contract.codec === 'JSON' || contract.codec === 'SSE';
}

/** The content types that a row answers in, without their parameters. */
function contentTypes({ contract, condition }: CompiledRow): readonly string[] {
  const { codec, contentType } = contract;
  const types = codec === 'CSV' ? tableTypes(condition) : [contentType ?? CONTENT_TYPES[codec]];
  return types.map((type) => type.split(';', 1)[0] ?? type);
}

function headersOf(row: CompiledRow): JsonSchema {
  return {
    'x-request-id': { $ref: '#/components/headers/RequestId' },
    ...(isKeyed(row)
      ? { 'idempotent-replayed': { $ref: '#/components/headers/IdempotentReplayed' } }
      : {}),
    ...(row.contract.control
      ? {}
      : { 'x-gw-ignored-fields': { $ref: '#/components/headers/IgnoredFields' } }),
  };
}
