import type { Fault } from '../../kernel/errors/fail.js';
import type { RollbackWish } from './rollback.rules.js';
import { BOUNDS } from './vocabulary.js';

/** What a migration is created from, as far as it is free text. */
export interface ProjectTexts {
  readonly migrationKey: string;
  readonly sourceBaseUrl?: string | null;
  readonly sourceModel?: string | null;
  readonly useCases: readonly string[];
  readonly rollback?: RollbackWish | null;
}

const KEY = /^[a-z0-9][a-z0-9._-]*$/i;

/** Every fault of a new migration, by the names of the REST body. */
export function projectFaults(texts: ProjectTexts): Fault[] {
  const { keyLengthMax, useCasesMax } = BOUNDS;
  const { migrationKey, useCases, sourceBaseUrl, sourceModel, rollback } = texts;
  const keyFits = KEY.test(migrationKey) && migrationKey.length <= keyLengthMax;
  const message =
    `migration_key must have from 1 to ${keyLengthMax} letters, digits, dots, underscores and ` +
    'hyphens, and begin with a letter or digit.';
  return [
    ...(keyFits ? [] : [invalid('migration_key', message)]),
    ...addressFaults('source_base_url', sourceBaseUrl),
    ...textFaults('source_model', sourceModel),
    ...(useCases.length <= useCasesMax
      ? []
      : [out('use_cases', `use_cases must name at most ${useCasesMax}.`)]),
    ...useCases.flatMap((useCase, index) => textFaults(`use_cases.${index}`, useCase)),
    ...rollbackFaults(rollback ?? {}),
  ];
}

/** Every fault of what is said about the way back. */
export function rollbackFaults({ baseUrl, model, keyName, scope }: RollbackWish): Fault[] {
  return [
    ...addressFaults('rollback.base_url', baseUrl),
    ...textFaults('rollback.model', model),
    ...textFaults('rollback.scope', scope),
    ...keyNameFaults(keyName),
  ];
}

const NAME = /^[A-Za-z_]\w{0,63}$/;
const LOOKS_LIKE_A_KEY = /^(gw_)?(sk|pk)[-_]/i;

function keyNameFaults(keyName: string | null | undefined): Fault[] {
  if (keyName == null || (NAME.test(keyName) && !LOOKS_LIKE_A_KEY.test(keyName))) return [];
  const message =
    'rollback.key_name must be the name of the variable that holds the old key, never the key.';
  return [invalid('rollback.key_name', message)];
}

/** Half a surrogate pair cannot be stored. */
const HALF_A_PAIR = /\p{Surrogate}/u;

function textFaults(path: string, text: string | null | undefined): Fault[] {
  if (text == null) return [];
  const { textLengthMax: max } = BOUNDS;
  if (text.trim() !== '' && text.length <= max && !HALF_A_PAIR.test(text)) return [];
  return [out(path, `${path} must have from 1 to ${max} characters.`)];
}

/** What may follow the address: Azure's version. Anything else may be a credential. */
const QUERY = /^(\?api-version=[\w.-]{1,40})?$/;

/** An address is never repeated in a message: it may hold what it must not hold. */
function addressFaults(path: string, text: string | null | undefined): Fault[] {
  if (text == null) return [];
  const readable = !HALF_A_PAIR.test(text) && URL.canParse(text);
  if (text.length > BOUNDS.urlLengthMax || !readable) {
    return [invalid(path, `${path} must be an address such as https://api.example.com/v1.`)];
  }
  const { protocol, username, password, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') {
    return [invalid(path, `${path} must begin with https:// or http://.`)];
  }
  if (username === '' && password === '' && hash === '' && QUERY.test(search)) return [];
  const message = `${path} must hold no credentials: no user, no fragment, no query.`;
  return [invalid(path, message)];
}

function out(path: string, message: string): Fault {
  return { path, code: 'out_of_range', message };
}

function invalid(path: string, message: string): Fault {
  return { path, code: 'invalid', message };
}
