import { readFileSync } from 'node:fs';
import {
  buildSchema,
  type GraphQLDirective,
  GraphQLScalarType,
  GraphQLSchema,
  getDirectiveValues,
  type OperationDefinitionNode,
} from 'graphql';
import type { Renames } from './input-names.js';

/** The methods that rows have. */
export type RestMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** How an answer is written. */
export type RestCodec = 'JSON' | 'SSE' | 'CSV' | 'PROMETHEUS' | 'TEXT' | 'BASE64';

/** B needs a bearer credential, P is public. */
export type RestAuth = 'B' | 'P';

/** FRESH is looked up by each request, HELD may be remembered: the work itself checks it again. */
export type RestCredential = 'FRESH' | 'HELD';

/** The arguments of `@rest` on one operation; rest.graphql says what each means. */
export interface RestDirective {
  readonly method: RestMethod;
  readonly path: string;
  readonly auth: RestAuth;
  readonly credential: RestCredential;
  readonly status: number;
  readonly codec: RestCodec;
  readonly when?: string;
  readonly body?: string;
  readonly unwrap: boolean;
  readonly list: boolean;
  readonly control: boolean;
  readonly foreignQuery: boolean;
  readonly rename?: Renames;
  readonly bodyBytesMax: number;
  readonly contentType?: string;
  readonly example?: unknown;
}

/**
 * The type that variables have while a row is executed. `bind` has coerced them, with every fault
 * named; a second coercion would cost time and would refuse the internal values of enums and money.
 */
const COERCED = new GraphQLScalarType({
  name: 'RestCoerced',
  description: 'A value that was coerced before.',
  parseValue: (value) => value,
});

/** The name of the type of coerced variables. */
export const COERCED_NAME = COERCED.name;

/** A schema in which rows can be written. */
export interface RestSchema {
  readonly schema: GraphQLSchema;
  readonly rest: GraphQLDirective;
  readonly all: GraphQLDirective;
}

/**
 * The schema with the directives of rows and the type of coerced variables added. All other types
 * are the very same objects, so resolvers and what plugins put around them are shared.
 * @param contractFile path of rest.graphql
 */
export function withDirectives(schema: GraphQLSchema, contractFile: string): RestSchema {
  const contracts = buildSchema(`${readFileSync(contractFile, 'utf8')}\ntype Query { _: Boolean }`);
  const rest = contracts.getDirective('rest');
  const all = contracts.getDirective('all');
  if (!rest || !all) throw new Error(`${contractFile} does not define @rest and @all`);
  const names = ['bare', 'whenNull', 'byKey'];
  const forms = names.flatMap((name) => contracts.getDirective(name) ?? []);
  const config = schema.toConfig();
  const extended = new GraphQLSchema({
    ...config,
    types: [...config.types, COERCED],
    directives: [...config.directives, rest, all, ...forms],
  });
  return { schema: extended, rest, all };
}

/**
 * Reads `@rest` of an operation.
 * @returns undefined when the operation has none
 * @throws GraphQLError for arguments that do not fit the directive
 * @throws Error when `example` is a string that is not JSON
 */
export function readContract(
  directive: GraphQLDirective,
  operation: OperationDefinitionNode,
): RestDirective | undefined {
  const values = getDirectiveValues(directive, operation);
  if (!values) return undefined;
  const contract = values as unknown as RestDirective;
  if (typeof contract.example !== 'string') return contract;
  return { ...contract, example: JSON.parse(contract.example) };
}

/** The parameters of a path template, in order; `rest` is the one that takes slashes. */
export function pathParameters(path: string): {
  readonly names: readonly string[];
  readonly rest: string | undefined;
} {
  const matches = [...path.matchAll(/\{(\+?)(\w+)\}/g)];
  const names = matches.map((match) => match[2] ?? '');
  return { names, rest: matches.find((match) => match[1] === '+')?.[2] };
}

/** The path as it is published: `{+id}` is written `{id}`. */
export function publishedPath(path: string): string {
  return path.replace('{+', '{');
}
