import {
  type GraphQLInputType,
  type GraphQLNamedInputType,
  getNamedType,
  isInputObjectType,
} from 'graphql';
import { ERRORS, type ErrorCode } from '../src/kernel/errors/catalogue.js';
import type { ErrorRow } from '../src/kernel/errors/row.js';
import { takesBody } from './compile-row.js';
import { isKeyed } from './openapi-parameters.js';
import type { JsonSchema } from './openapi-schema.js';
import type { CompiledRow } from './row.js';

/** The codes of the transport, each with the rows that it can end. */
const OF_TRANSPORT: readonly (readonly [ErrorCode, (row: CompiledRow) => boolean])[] = [
  ['invalid_request', (row) => row.variables.length > 0 || row.contract.control || isKeyed(row)],
  ['invalid_json', ({ contract }) => takesBody(contract)],
  ['request_timeout', ({ contract }) => takesBody(contract)],
  ['body_too_large', ({ contract }) => takesBody(contract)],
  ['invalid_cursor', ({ shape }) => shape.kind === 'list' && shape.paging !== undefined],
  ['missing_credential', ({ contract }) => contract.auth === 'B'],
  ['unusable_credential', ({ contract }) => contract.auth === 'B'],
  ['conflicting_credentials', ({ contract }) => contract.auth === 'B'],
  ['permission_denied', ({ contract }) => contract.auth === 'B'],
  ['not_found', namesThings],
  ['lifecycle_refused', (row) => row.operationKind === 'mutation' && row.pathParameters.length > 0],
  ['idempotency_key_reused', isKeyed],
  ['idempotency_in_progress', isKeyed],
  ['idempotency_answer_not_kept', isKeyed],
  ['internal_error', () => true],
  ['ledger_unavailable', () => true],
];

/** Whether a request tells what it is about: in its path, by an id or by another reference. */
function namesThings({ pathParameters, variables }: CompiledRow): boolean {
  return pathParameters.length > 0 || variables.some(({ name, type }) => refers(name, type));
}

/** How fields are called whose text names a thing. */
const REFERENCE = /(^id|^ref|^model|Id|Ref|Model)s?$/;

function refers(
  name: string,
  given: GraphQLInputType,
  seen = new Set<GraphQLNamedInputType>(),
): boolean {
  const type = getNamedType(given);
  if (!isInputObjectType(type)) {
    return type.name === 'ID' || (type.name === 'String' && REFERENCE.test(name));
  }
  if (seen.has(type)) return false;
  seen.add(type);
  return Object.values(type.getFields()).some((field) => refers(field.name, field.type, seen));
}

/** Further codes that a row can fail with, by what the application knows of it. */
export type CodesOf = (row: CompiledRow) => readonly ErrorCode[];

/** The answers to failures of a row, by status: a reference that names the codes. */
export function failuresOf(row: CompiledRow, codesOf: CodesOf): Record<string, JsonSchema> {
  const own = OF_TRANSPORT.filter(([, canEnd]) => canEnd(row)).map(([code]) => code);
  const byStatus = new Map<number, string[]>();
  for (const code of new Set([...own, ...codesOf(row)])) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\``]);
  }
  const answers = [...byStatus].sort(([one], [other]) => one - other);
  return {
    ...Object.fromEntries(
      answers.map(([status, codes]) => [
        status,
        { $ref: `#/components/responses/Error${status}`, description: codes.join(', ') },
      ]),
    ),
    '4XX': { $ref: '#/components/responses/Error' },
    '5XX': { $ref: '#/components/responses/Error' },
  };
}

const BACK_OFF = new Set([429, 503]);

/** One response for each status of the catalogue, with the codes that have it; one for any. */
export function errorResponses(): Record<string, JsonSchema> {
  const byStatus = new Map<number, string[]>();
  for (const [code, { status }] of Object.entries<ErrorRow>(ERRORS)) {
    byStatus.set(status, [...(byStatus.get(status) ?? []), `\`${code}\``]);
  }
  const responses: Record<string, JsonSchema> = {};
  for (const [status, codes] of [...byStatus].sort(([a], [b]) => a - b)) {
    responses[`Error${status}`] = response(codes.join(', '), BACK_OFF.has(status));
  }
  responses.Error = response('Any other failure; its code is one of the catalogue.', false);
  return responses;
}

function response(description: string, tellsWhen: boolean): JsonSchema {
  const retry = tellsWhen ? { 'retry-after': { $ref: '#/components/headers/RetryAfter' } } : {};
  return {
    description,
    headers: { 'x-request-id': { $ref: '#/components/headers/RequestId' }, ...retry },
    content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
  };
}

/** The envelope of every failure, its code and its faults. */
export function errorSchemas(): Record<string, JsonSchema> {
  const entries = Object.entries<ErrorRow>(ERRORS);
  const meanings = entries.map(([code, { cause }]) => `- \`${code}\`: ${cause}`);
  return {
    Error: {
      type: 'object',
      description: 'The envelope of every failure.',
      required: ['error'],
      properties: { error: { $ref: '#/components/schemas/ErrorFacts' } },
    },
    ErrorCode: {
      type: 'string',
      enum: entries.map(([code]) => code),
      description: ['What failed. GET /v1/gw/errors tells what to do.', ...meanings].join('\n'),
    },
    ErrorFacts: ERROR_FACTS,
    ErrorFault: ERROR_FAULT,
  };
}

const ERROR_FACTS = {
  type: 'object',
  description: 'What failed. A code may have further members, such as the amount that lacks.',
  required: ['message', 'type', 'param', 'code', 'request_id', 'doc_url'],
  properties: {
    message: { type: 'string', description: 'What failed, for people.' },
    type: { type: 'string', description: 'The kind of failure that SDK clients tell apart.' },
    param: { type: ['string', 'null'], description: 'The field that is at fault.' },
    code: { $ref: '#/components/schemas/ErrorCode' },
    request_id: { type: 'string', description: 'The id of the request; quote it to support.' },
    doc_url: { type: 'string', description: 'Cause and fix of this code.' },
    faults: {
      type: 'array',
      description: 'Every fault of a bad request.',
      items: { $ref: '#/components/schemas/ErrorFault' },
    },
  },
};

const ERROR_FAULT = {
  type: 'object',
  description: 'One fault of a bad request.',
  required: ['path', 'code', 'message'],
  properties: {
    path: { type: 'string', description: 'The field, as the caller wrote it.' },
    code: {
      type: 'string',
      enum: ['missing', 'wrong_type', 'out_of_range', 'unknown_value', 'invalid'],
      description: 'What is wrong with it.',
    },
    message: { type: 'string', description: 'The same for people.' },
  },
};
