import { ERRORS, type ErrorCode } from '../../../kernel/errors/catalogue.js';
import type { Fault } from '../../../kernel/errors/fail.js';
import { fault } from '../../../kernel/errors/faults.js';
import { inputFaults } from '../../../kernel/fields/faults.js';
import { asObject, isDeeperThan, type JsonObject } from '../../../kernel/json.js';
import { DEBUG_INPUT, type DebugQuestion } from './tables.js';
import { DEBUG_BOUNDS } from './vocabulary.js';

/** As deep as bodies of requests may be. */
const LEVELS_MAX = 64;

/** Every fault of the question itself; the request in it may have as many as it likes. */
export function questionFaults({ request, metadata, error, ...plain }: DebugQuestion): Fault[] {
  const { request: _, metadata: _metadata, error: _error, ...fields } = DEBUG_INPUT.fields;
  const isObject = request === null || asObject(request) !== undefined;
  return [
    ...inputFaults(fields, plain, 'input'),
    ...(isObject ? [] : [fault('input.request', 'wrong_type', 'must be a JSON object')]),
    ...jsonFaults('input.request', request),
    ...jsonFaults('input.metadata', metadata),
    ...jsonFaults('input.error', error),
  ];
}

function jsonFaults(path: string, value: unknown): Fault[] {
  if (value === null) return [];
  if (isDeeperThan(value, LEVELS_MAX)) {
    return [fault(path, 'invalid', `has more than ${LEVELS_MAX} levels`)];
  }
  const { requestCharsMax } = DEBUG_BOUNDS;
  if (JSON.stringify(value).length <= requestCharsMax) return [];
  const what = `has more than ${requestCharsMax} characters of JSON; leave texts out and state`;
  return [fault(path, 'out_of_range', `${what} prompt_tokens`)];
}

/** The body that is judged, and whether a message of ours stands for those that were left out. */
export interface GivenRequest {
  readonly body: JsonObject;
  readonly textsLeftOut: boolean;
}

const TEXT = 'a text that was left out';

/**
 * The body to judge: as it was given, else made of the model and the metadata that were. Undefined
 * where nothing of a request was given.
 */
export function givenRequest({
  operation,
  request,
  model,
  metadata,
  promptTokens,
}: DebugQuestion): GivenRequest | undefined {
  const given = asObject(request);
  if (!given && model === null && metadata === null) return undefined;
  const told = {
    ...(model === null ? {} : { model }),
    ...(metadata === null ? {} : { metadata }),
  };
  const body: JsonObject = { ...told, ...given };
  const standIn =
    operation === 'chat' ? { messages: [{ role: 'user', content: TEXT }] } : { input: TEXT };
  const [member = ''] = Object.keys(standIn);
  const textsLeftOut = body[member] === undefined && (!given || promptTokens !== null);
  if (!textsLeftOut) return { body, textsLeftOut };
  const named = given || model !== null ? {} : { model: 'gw:auto' };
  return { body: { ...named, ...body, ...standIn }, textsLeftOut };
}

/** The failure as it was stated: by its code, its envelope and its status. */
export interface StatedFailure {
  readonly code: string | null;
  readonly status: number | null;
}

/** Reads the failure in each of its forms: a code, an envelope of REST, an error of GraphQL. */
export function statedFailure({ errorCode, error, status }: DebugQuestion): StatedFailure {
  const envelope = asObject(error);
  const first = Array.isArray(envelope?.errors) ? asObject(envelope.errors[0]) : undefined;
  const inner = asObject(envelope?.error) ?? first ?? envelope;
  const found = [
    errorCode,
    typeof error === 'string' ? error : undefined,
    inner?.code,
    asObject(inner?.extensions)?.code,
    envelope?.error,
    inner?.type,
  ].find((each) => typeof each === 'string' && each !== '');
  const told = [status, inner?.status, envelope?.status].find((each) => Number.isInteger(each));
  return {
    code: typeof found === 'string' ? found.slice(0, CODE_LENGTH_MAX) : null,
    status: typeof told === 'number' ? told : null,
  };
}

const CODE_LENGTH_MAX = 200;

/** True for a code of the catalogue. */
export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERRORS, code);
}
