import type { GraphQLError } from 'graphql';
import { ERRORS, type ErrorCode } from '../kernel/errors/catalogue.js';

/** What becomes known of an operation of GraphQL until it is over. */
export interface OperationFacts {
  /** Its root field, as our schema names it; `several`, or `none` before it is known. */
  operation: string;
  tenantId: string | undefined;
  /** The status of its first error in the catalogue, as REST would have answered. */
  status: number | undefined;
  /** The code of that error. */
  code: ErrorCode | undefined;
}

/** Facts of which nothing is known yet. */
export function noFacts(): OperationFacts {
  return { operation: 'none', tenantId: undefined, status: undefined, code: undefined };
}

/** Notes the first error of an answer, where it has one. */
export function noteErrors(
  { facts }: { readonly facts: OperationFacts },
  errors: readonly Pick<GraphQLError, 'extensions'>[] | undefined,
): void {
  const code = errors?.[0]?.extensions.code;
  if (typeof code !== 'string' || facts.code !== undefined) return;
  facts.code = Object.hasOwn(ERRORS, code) ? (code as ErrorCode) : 'internal_error';
  facts.status = ERRORS[facts.code].status;
}
