import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';

/** The prompt that a chat request asks for. */
export interface PromptWish {
  readonly promptKey: string;
  /** Undefined asks for the version in production. */
  readonly version: number | undefined;
  readonly variables: JsonObject;
  /** The field that names the key, as the caller wrote it. */
  readonly param: string;
}

/** Bounds of what a chat request says about its prompt. */
const KEY_CHARS_MAX = 120;
const VERSION_MAX = 1_000_000;

/** True where a body asks for a prompt, in either way. */
export function asksForPrompt(body: JsonObject): boolean {
  return body.gw_prompt != null || asObject(body.metadata)?.prompt_key != null;
}

/**
 * The prompt that a body asks for: `gw_prompt` with `key`, `version` and `variables`, or
 * `metadata.prompt_key` and `metadata.prompt_version`. Where both stand they must agree.
 */
export function readPromptWish(body: JsonObject): {
  readonly wish: PromptWish;
  readonly faults: readonly Fault[];
} {
  const faults: Fault[] = [];
  const metadata = asObject(body.metadata) ?? {};
  const told = body.gw_prompt == null ? undefined : (asObject(body.gw_prompt) ?? {});
  if (told && !asObject(body.gw_prompt)) {
    faults.push(fault('gw_prompt', 'wrong_type', 'must be an object with key'));
  }
  if (told) requireAgreement(told, metadata, faults);
  const param = told ? 'gw_prompt.key' : 'metadata.prompt_key';
  const versionPath = told ? 'gw_prompt.version' : 'metadata.prompt_version';
  const key = told ? told.key : metadata.prompt_key;
  if (typeof key !== 'string' || !isKey(key)) {
    const code = key === undefined ? 'missing' : 'invalid';
    faults.push(fault(param, code, `must be a text of 1 to ${KEY_CHARS_MAX} characters`));
  }
  const version = readVersion(told ? told.version : metadata.prompt_version);
  if (version === null) {
    faults.push(fault(versionPath, 'invalid', `must be a whole number from 1 to ${VERSION_MAX}`));
  }
  const variables = told?.variables ?? {};
  if (!asObject(variables)) {
    faults.push(fault('gw_prompt.variables', 'wrong_type', 'must be an object by names'));
  }
  const wish = {
    promptKey: String(key),
    version: version ?? undefined,
    variables: asObject(variables) ?? {},
    param,
  };
  return { wish, faults };
}

function requireAgreement(told: JsonObject, metadata: JsonObject, faults: Fault[]): void {
  const { prompt_key: key, prompt_version: version } = metadata;
  if (key == null) return;
  if (key !== told.key) {
    faults.push(fault('metadata.prompt_key', 'invalid', 'names another prompt than gw_prompt'));
  }
  if (version != null && readVersion(version) !== readVersion(told.version)) {
    faults.push(fault('metadata.prompt_version', 'invalid', 'is not the version of gw_prompt'));
  }
}

/** Values of metadata are texts on most clients, so a number may come as its digits. */
function readVersion(given: unknown): number | undefined | null {
  if (given == null) return undefined;
  const digits = typeof given === 'string' && /^\d{1,7}$/.test(given);
  const version = digits ? Number(given) : given;
  const fits = Number.isInteger(version) && (version as number) >= 1;
  return fits && (version as number) <= VERSION_MAX ? (version as number) : null;
}

/** What no key holds can be asked of no database either. */
const NOT_STORABLE = /\0|\p{Surrogate}/u;

function isKey(key: string): boolean {
  return key !== '' && key.length <= KEY_CHARS_MAX && !NOT_STORABLE.test(key);
}
