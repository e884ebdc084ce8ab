import type { Sealable } from '../../kernel/canonical.js';
import { ERRORS } from '../../kernel/errors/catalogue.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import {
  ANSWER_BYTES_MAX,
  CHECK_MS_MAX,
  type CheckCode,
  type CheckStatus,
  COCKPIT_FEATURE,
  NO_MODEL,
  type ProbeFailure,
  type RunStatus,
  TOOL_NAME,
} from './vocabulary.js';

/** What the checks ask for. */
export interface Models {
  readonly chat: string;
  /** Absent where no model of embeddings is known. */
  readonly embeddings?: string;
}

/** An answer of this server, as a client sees it. */
export interface SeenAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** What came back, or why nothing did. Latency in milliseconds, to the last byte. */
export interface Probed {
  readonly latencyMs: number;
  readonly requestId?: string;
  readonly answer?: SeenAnswer;
  /** Why there is no answer. */
  readonly failure?: ProbeFailure;
}

/** What an answer is judged to be. */
export interface Judged {
  readonly status: CheckStatus;
  readonly message: string;
  readonly fix?: string;
  /** What was seen; never a text of the answer. */
  readonly evidence: { readonly [name: string]: Sealable };
}

const ANSWER_TOKENS_MAX = 64;
const QUESTION = 'Reply with one short sentence: is this connection working?';

/** The body of a check, or undefined for those without one. */
export function bodyOf(code: CheckCode, models: Models): JsonObject | undefined {
  const metadata = { feature: COCKPIT_FEATURE };
  const messages = [{ role: 'user', content: QUESTION }];
  const chat = { model: models.chat, messages, max_tokens: ANSWER_TOKENS_MAX, metadata };
  const bodies: Readonly<Partial<Record<CheckCode, JsonObject>>> = {
    chat,
    streaming: { ...chat, stream: true, stream_options: { include_usage: true } },
    embeddings: { model: models.embeddings, input: 'cockpit', metadata },
    tool_calls: { ...chat, ...TOOL_CALL },
    error_format: { ...chat, model: NO_MODEL },
  };
  return bodies[code];
}

const TOOL = {
  name: TOOL_NAME,
  description: 'Reports the weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
} as const;

const TOOL_CALL = {
  messages: [{ role: 'user', content: 'Report the weather in Kazan.' }],
  tools: [{ type: 'function', function: TOOL }],
  tool_choice: { type: 'function', function: { name: TOOL_NAME } },
} as const;

type Judge = (answer: SeenAnswer, models: Models) => Judged;

/** What each check wants to see. */
const JUDGES: Readonly<Record<CheckCode, Judge>> = {
  auth: judgeAuth,
  models: judgeModels,
  chat: judgeChat,
  streaming: judgeStream,
  embeddings: judgeEmbeddings,
  tool_calls: judgeTools,
  error_format: judgeError,
};

/** Judges the answer to a check. A refusal is a failure with the fix of the catalogue. */
export function judge(code: CheckCode, answer: SeenAnswer, models: Models): Judged {
  const isRefused = answer.status >= 400;
  return isRefused && code !== 'error_format' ? refused(answer) : JUDGES[code](answer, models);
}

/** What to say where no answer came. */
export function judgeSilence(failure: ProbeFailure = 'connection'): Judged {
  const fix = 'Run the checks again; if it persists, tell the operator of this server.';
  return { status: 'fail', message: SILENCE[failure], fix, evidence: { failure } };
}

const SILENCE: Readonly<Record<ProbeFailure, string>> = {
  timeout: `No whole answer came within ${CHECK_MS_MAX / 1_000} seconds.`,
  aborted: 'The client went away.',
  too_large: `The answer is larger than ${ANSWER_BYTES_MAX} bytes.`,
  connection: 'The connection to this server broke.',
};

function refused({ status, text }: SeenAnswer): Judged {
  const error = asObject(parsed(text)?.error);
  const code = error?.code;
  const row = isKnown(code) ? ERRORS[code] : undefined;
  return {
    status: 'fail',
    message: typeof error?.message === 'string' ? error.message : `The server answered ${status}.`,
    fix: row?.fix.join(' ') ?? 'Quote the request id to support.',
    evidence: { error_code: textOr(code) },
  };
}

function isKnown(code: unknown): code is keyof typeof ERRORS {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code);
}

function judgeAuth({ text }: SeenAnswer): Judged {
  const me = parsed(text);
  const { kind, role } = me ?? {};
  if (typeof kind !== 'string' || typeof role !== 'string') return odd('whose the credential is');
  return passed(`The credential is valid: ${kind} of type ${role}.`, { kind, role });
}

function judgeModels({ text }: SeenAnswer, models: Models): Judged {
  const ids = listed(text).flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
  const evidence = { models: ids.length, model: models.chat };
  if (ids.length === 0) return odd('a list of models', evidence);
  if (ids.includes(models.chat)) return passed(`${ids.length} models can be asked for.`, evidence);
  return {
    status: 'fail',
    message: `${models.chat} is not among the ${ids.length} models that can be asked for.`,
    fix: 'Take a model from GET /v1/models, or widen allowed_models in the policy of the project.',
    evidence,
  };
}

function judgeChat({ text }: SeenAnswer): Judged {
  const answer = parsed(text);
  const [choice] = objects(answer?.choices);
  const content = asObject(choice?.message)?.content;
  const usage = asObject(answer?.usage);
  if (typeof content !== 'string' || content === '') return odd('a message with content');
  if (typeof usage?.total_tokens !== 'number') return odd('the usage of tokens');
  const evidence = {
    model: textOr(answer?.model),
    finish_reason: textOr(choice?.finish_reason),
    total_tokens: usage.total_tokens,
    content_characters: content.length,
  };
  return passed(`${evidence.model} answered.`, evidence);
}

function judgeStream({ text, contentType }: SeenAnswer): Judged {
  const events = text.split(/\r?\n/).flatMap((line) => /^data: ?(.*)$/.exec(line)?.[1] ?? []);
  const chunks = events.map(parsed).filter((chunk) => chunk !== undefined);
  const failure = asObject(chunks.find(({ error }) => error !== undefined)?.error);
  const isDone = events.at(-1) === '[DONE]';
  const pieces = chunks.filter(({ choices }) =>
    objects(choices).some(({ delta }) => asObject(delta)?.content),
  );
  const evidence = {
    content_type: contentType,
    chunks: chunks.length,
    content_chunks: pieces.length,
    done: isDone,
    error_code: textOr(failure?.code),
    model: textOr(chunks[0]?.model),
  };
  if (!contentType.startsWith('text/event-stream')) return odd('server-sent events', evidence);
  if (failure) return { ...odd('a whole stream', evidence), message: 'The stream broke off.' };
  if (pieces.length === 0) return odd('chunks with content', evidence);
  if (!isDone) return odd('[DONE] at the end', evidence);
  return passed(`${chunks.length} chunks and [DONE].`, evidence);
}

function judgeEmbeddings({ text }: SeenAnswer): Judged {
  const [first] = listed(text);
  const vector = Array.isArray(first?.embedding) ? (first.embedding as unknown[]) : [];
  const isVector = vector.length > 0 && vector.every((value) => Number.isFinite(value));
  if (!isVector) return odd('a vector of numbers');
  const evidence = { model: textOr(parsed(text)?.model), dimensions: vector.length };
  return passed(`A vector of ${vector.length} dimensions.`, evidence);
}

function judgeTools({ text }: SeenAnswer): Judged {
  const answer = parsed(text);
  const [choice] = objects(answer?.choices);
  const [call] = objects(asObject(choice?.message)?.tool_calls);
  const called = asObject(call?.function);
  const given = typeof called?.arguments === 'string' ? parsed(called.arguments) : undefined;
  const evidence = {
    model: textOr(answer?.model),
    tool: textOr(called?.name),
    arguments: given ? Object.keys(given).sort().slice(0, 20) : [],
  };
  if (called?.name !== TOOL_NAME) return odd(`a call of ${TOOL_NAME}`, evidence);
  if (typeof given?.city !== 'string') return odd('arguments with the city', evidence);
  return passed(`${TOOL_NAME} was called with valid arguments.`, evidence);
}

/** The fields that every error has. */
const ERROR_FIELDS = ['message', 'type', 'param', 'code', 'request_id', 'doc_url'] as const;

function judgeError({ status, text }: SeenAnswer): Judged {
  const error = asObject(parsed(text)?.error);
  const missing = ERROR_FIELDS.filter((name) => error?.[name] === undefined);
  const evidence = {
    error_code: textOr(error?.code),
    error_type: textOr(error?.type),
    missing: [...missing],
  };
  if (status < 400) return odd('a refusal of an unknown model', evidence);
  if (missing.length > 0) return odd(`the fields ${missing.join(', ')}`, evidence);
  if (!isKnown(error?.code)) return odd('a code of the catalogue', evidence);
  return passed(`Refused as documented: ${status} ${error?.code}.`, evidence);
}

function passed(message: string, evidence: Judged['evidence']): Judged {
  return { status: 'pass', message, evidence };
}

function odd(wanted: string, evidence: Judged['evidence'] = {}): Judged {
  return {
    status: 'fail',
    message: `The answer lacks ${wanted}.`,
    fix: 'Try another model; if it persists, quote the request id to support.',
    evidence,
  };
}

function textOr(value: unknown): string | null {
  return typeof value === 'string' ? value.slice(0, 200) : null;
}

function parsed(text: string): JsonObject | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function objects(value: unknown): JsonObject[] {
  const given: unknown[] = Array.isArray(value) ? value : [];
  return given.map(asObject).filter((each) => each !== undefined);
}

function listed(text: string): JsonObject[] {
  return objects(parsed(text)?.data);
}

/** The first model of embeddings in a list of models; undefined where there is none. */
export function firstEmbeddingsModel({ text }: SeenAnswer): string | undefined {
  const found = listed(text).find(
    ({ capabilities }) => Array.isArray(capabilities) && capabilities.includes('embeddings'),
  );
  return typeof found?.id === 'string' ? found.id : undefined;
}

/** How a run ended, by its checks. One that a simulated model answered never just passed. */
export function runStatus(
  checks: readonly { readonly status: CheckStatus; readonly simulated: boolean }[],
  isStopped: boolean,
): RunStatus {
  if (isStopped) return 'stopped';
  if (checks.some(({ status }) => status === 'fail')) return 'failed';
  if (!checks.some(({ status }) => status === 'pass')) return 'stopped';
  return isSimulated(checks) ? 'passed_simulated' : 'passed';
}

/** True where a simulated model answered a check. */
export function isSimulated(checks: readonly { readonly simulated?: boolean }[]): boolean {
  return checks.some(({ simulated }) => simulated === true);
}
