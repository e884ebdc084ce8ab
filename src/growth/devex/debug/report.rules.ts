import { requestedModel } from '../../../inference/alias.js';
import type { InferenceRequest } from '../../../inference/request.js';
import { tokensAbout } from '../../../inference/upstream/tokens.js';
import { ERRORS, type ErrorCode } from '../../../kernel/errors/catalogue.js';
import type { Fault, GatewayError } from '../../../kernel/errors/fail.js';
import { describedIn, told } from '../../../kernel/errors/told.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import type { Language } from '../../../kernel/language/languages.js';
import { nearestNames } from '../../../kernel/near-names.js';
import { isAutomatic } from '../../../routing/automatic.js';
import { isErrorCode, type StatedFailure } from './question.rules.js';
import type { Explanation, NormalizedRequest, Warning } from './tables.js';
import {
  DEBUG_BOUNDS,
  type DebugVerdict,
  WARNING_OF_FAULT,
  WARNING_OF_REFUSAL,
} from './vocabulary.js';
import { memberNames } from './wire-schema.rules.js';

/** A warning without near names. */
export function warning(code: Warning['code'], path: string, message: string): Warning {
  return { code, path, message, near: [] };
}

/** What a refusal says, as warnings: each fault, or the refusal itself. */
export function warningsOf(
  refusal: GatewayError,
  near: readonly string[],
  language: Language,
): Warning[] {
  const { param = '' } = refusal.details;
  const { message, faults = [] } = told(refusal, language);
  if (faults.length > 0) return faults.map(faultWarning);
  const code = WARNING_OF_REFUSAL[refusal.code] ?? 'parameter_invalid';
  const names = code === 'unknown_model' ? near : [];
  return [{ code, path: param, message, near: names }];
}

function faultWarning({ path, code, message }: Fault): Warning {
  return warning(WARNING_OF_FAULT[code], path, message);
}

const LABELS = ['feature', 'environment', 'client_id'] as const;

/** What reports cannot group by, since the request does not say it. */
export function metadataWarnings(body: JsonObject): Warning[] {
  const metadata = asObject(body.metadata) ?? {};
  return LABELS.filter((name) => !metadata[name]).map((name) =>
    warning(
      'missing_metadata',
      `metadata.${name}`,
      `metadata.${name} is not there: reports cannot tell this request by it.`,
    ),
  );
}

/** Members that are like one of the wire and none of it; the gateway's own names begin with gw_. */
export function unreadWarnings(body: JsonObject, schema: JsonObject): Warning[] {
  const known = memberNames([schema]);
  return unreadMembers(body, schema).flatMap((name) => {
    const near = nearestNames(name, known).filter((each) => body[each] === undefined);
    if (near.length === 0) return [];
    const message = `${name.slice(0, 100)} is forwarded and not read: did you mean ${near[0]}?`;
    return [{ code: 'parameter_unread' as const, path: name.slice(0, 100), message, near }];
  });
}

function unreadMembers(body: JsonObject, schema: JsonObject): string[] {
  const known = new Set(memberNames([schema]));
  return Object.keys(body).filter((name) => !known.has(name));
}

const NAMES_SHOWN_MAX = 50;

/** The request as the stages have read it, without its texts. */
export function normalizedOf(
  request: InferenceRequest,
  body: JsonObject,
  schema: JsonObject,
): NormalizedRequest {
  const { operation, size, metadata, choices } = request;
  const texts = Array.isArray(request.body.messages) ? request.body.messages.length : size.inputs;
  return {
    operation,
    model: requestedModel(request),
    resolvedModel: request.model,
    automatic: isAutomatic(request.model),
    stream: request.stream,
    messages: texts,
    tools: Array.isArray(request.body.tools) ? request.body.tools.length : 0,
    needs: request.needs,
    promptTokensAbout: size.windowTokens ?? tokensAbout(size),
    outputTokensMax: operation === 'chat' ? (request.outputTokensMax ?? null) : null,
    choices,
    feature: metadata.feature ?? null,
    environment: metadata.environment ?? null,
    clientId: metadata.clientId ?? null,
    otherMetadata: Object.keys(metadata.rest).slice(0, NAMES_SHOWN_MAX),
    membersUnread: unreadMembers(body, schema).slice(0, NAMES_SHOWN_MAX),
  };
}

/** What is wrong with the stated failure itself. */
export function failureWarnings({ code, status }: StatedFailure): Warning[] {
  if (code === null) return [];
  if (!isErrorCode(code)) {
    const near = nearestNames(code, Object.keys(ERRORS));
    const message = `${code} is no error code of this gateway; GET /v1/gw/errors lists them all.`;
    return [{ code: 'unknown_error_code', path: '', message, near }];
  }
  const { status: own } = ERRORS[code];
  if (status === null || status === own) return [];
  const message = `${code} is answered with ${own}, not with ${status}.`;
  return [warning('status_mismatch', '', message)];
}

/**
 * Cause and fix of the stated error, then of what the stages refuse with now. A status alone is
 * explained by what they refuse with under it, else by every error that has it.
 */
export function explanationsOf(
  { code, status }: StatedFailure,
  refusals: readonly GatewayError[],
  { language, docUrlOf }: { language: Language; docUrlOf: (code: string) => string },
): Explanation[] {
  const found = [...new Set(refusals.map((refusal) => refusal.code))];
  const isKnown = code !== null && isErrorCode(code);
  const isFound = found.some((each) => ERRORS[each].status === status);
  const byStatus = isKnown || isFound ? [] : codesOf(status);
  const stated = new Set<ErrorCode>([...(isKnown ? [code] : []), ...byStatus]);
  return [...new Set([...stated, ...found])].map((each) => {
    const { status: answered } = ERRORS[each];
    const { cause, fix } = describedIn(ERRORS[each], language);
    const docUrl = docUrlOf(each);
    return { code: each, status: answered, stated: stated.has(each), cause, fix, docUrl };
  });
}

function codesOf(status: number | null): ErrorCode[] {
  const codes = (Object.keys(ERRORS) as ErrorCode[]).filter(
    (each) => ERRORS[each].status === status,
  );
  return codes.slice(0, DEBUG_BOUNDS.explanationsMax);
}

/** The verdict in a sentence. */
export function reasonOf(verdict: DebugVerdict, operations: number, last: string): string {
  const sentences: Readonly<Record<DebugVerdict, string>> = {
    passes: 'No stage refuses the request now; what failed lies outside of it.',
    patched: `With ${operations} changes, no stage refuses the request any more.`,
    no_patch: `No change within the rules makes the request pass: ${last}`,
    not_judged: 'Nothing of the request was given; only the error is explained.',
  };
  return verdict === 'patched' && operations === 1
    ? 'With one change, no stage refuses the request any more.'
    : sentences[verdict];
}
