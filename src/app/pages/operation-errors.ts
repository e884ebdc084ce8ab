import { MODULES } from '../../graph/registration.js';
import { ERRORS, type ErrorCode } from '../../kernel/errors/catalogue.js';
import type { Operation } from './openapi-view.js';

/** Codes of the transports that no REST operation answers with. */
const OF_NO_OPERATION: readonly ErrorCode[] = [
  'unknown_url',
  'method_not_allowed',
  'query_too_complex',
  'graphql_invalid',
  'rate_limit_points',
];

/** What any credential may be refused with. */
const OF_CREDENTIALS: readonly ErrorCode[] = [
  'invalid_api_key',
  'api_key_revoked',
  'invalid_token',
];

/** The contexts that a request for a model passes. */
const UNDER_INFERENCE = ['inference', 'money', 'finops', 'prompts', 'routing', 'catalog', 'access'];
const INFERENCE = 'inference/chat';

/** The module that registered a permission. */
export function moduleOfPermission(permission: string): string | undefined {
  const found = [...MODULES].find(([, { permissions = {} }]) => permission in permissions);
  return found?.[0];
}

function modulesOfCodes(): ReadonlyMap<string, string> {
  const pairs = [...MODULES].flatMap(([folder, { errors = {} }]) =>
    Object.keys(errors).map((code) => [code, folder] as const),
  );
  return new Map(pairs);
}

/**
 * The codes that an operation may answer with: those of its statuses that the kernel or its own
 * module has registered, and those of credentials. A request for a model passes many modules.
 */
export function codesOfOperation(
  { responses, path, isPublic, parameters = [] }: Operation,
  module: string | undefined,
): ErrorCode[] {
  const statuses = new Set(Object.keys(responses).map(Number));
  const modules = modulesOfCodes();
  const isList = parameters.some(({ name }) => name === 'cursor');
  return (Object.keys(ERRORS) as ErrorCode[]).filter((code) => {
    if (!statuses.has(ERRORS[code].status) || OF_NO_OPERATION.includes(code)) return false;
    if (code === 'invalid_cursor') return isList;
    if (code === 'invalid_receipt_id') return path.includes('/receipts/');
    if (OF_CREDENTIALS.includes(code)) return !isPublic;
    const by = modules.get(code);
    if (by === undefined || by === module) return true;
    return module === INFERENCE && UNDER_INFERENCE.includes(by.split('/', 1)[0] ?? '');
  });
}
