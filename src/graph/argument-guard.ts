import SchemaBuilder, {
  BasePlugin,
  type PothosOutputFieldConfig,
  PothosValidationError,
  type SchemaTypes,
} from '@pothos/core';
import type { GraphQLFieldResolver } from 'graphql';
import { type Fault, fail, failOnFaults, GatewayError } from '../kernel/errors/fail.js';
import { isUuid } from '../kernel/ids.js';
import { PAGE_MAX } from './limits.js';

declare global {
  namespace PothosSchemaTypes {
    interface Plugins<Types extends SchemaTypes> {
      argumentGuard: ArgumentGuardPlugin<Types>;
    }
  }
}

const NUL = '\u0000';
/** What neither PostgreSQL nor UTF-8 can hold. */
const NOT_TEXT: readonly { readonly isIn: (text: string) => boolean; readonly what: string }[] = [
  { isIn: (text) => text.includes(NUL), what: 'the character U+0000' },
  { isIn: (text) => /\p{Surrogate}/u.test(text), what: 'half a surrogate pair' },
];
const LEVELS_MAX = 64;

type Resolver<Types extends SchemaTypes> = GraphQLFieldResolver<unknown, Types['Context'], object>;

/**
 * Refuses arguments that the database cannot take, by name and before any statement: text with
 * U+0000 or half a surrogate pair, pages out of bounds, and cursors that no list has given out.
 * Null for an argument with a default is the default, as if it were absent. A type with the
 * extension `passedOn` goes on to a provider as it came: what it holds is none of the gateway's.
 */
export class ArgumentGuardPlugin<Types extends SchemaTypes> extends BasePlugin<Types> {
  override wrapResolve(
    resolve: Resolver<Types>,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> {
    return this.guarded(resolve, field) ?? resolve;
  }

  override wrapSubscribe(
    subscribe: Resolver<Types> | undefined,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    return subscribe && (this.guarded(subscribe, field) ?? subscribe);
  }

  private guarded(
    next: Resolver<Types>,
    field: PothosOutputFieldConfig<Types>,
  ): Resolver<Types> | undefined {
    const names = this.guardedArguments(field);
    if (names.length === 0) return undefined;
    const defaults = Object.entries(field.args).filter(([, arg]) => arg.defaultValue !== undefined);
    const isPage = 'first' in field.args && 'after' in field.args;
    return (parent, args, ctx, info) => {
      const given = withDefaults(args as Readonly<Record<string, unknown>>, defaults);
      failOnFaults(names.flatMap((name) => textFaults(name, given[name], 0)));
      if (isPage) requirePage(given);
      try {
        const result: unknown = next(parent, given, ctx, info);
        return result instanceof Promise ? result.catch(named) : result;
      } catch (error) {
        throw named(error);
      }
    };
  }

  private guardedArguments(field: PothosOutputFieldConfig<Types>): string[] {
    return Object.entries(field.args).flatMap(([name, { type }]) => {
      if (type.kind === 'Enum') return [];
      return type.kind !== 'List' && this.isPassedOn(type.ref) ? [] : [name];
    });
  }

  private isPassedOn(ref: Parameters<typeof this.buildCache.getTypeConfig>[0]): boolean {
    return this.buildCache.getTypeConfig(ref).extensions?.passedOn === true;
  }
}

SchemaBuilder.registerPlugin('argumentGuard', ArgumentGuardPlugin);

function withDefaults<Arg extends { readonly defaultValue?: unknown }>(
  given: Readonly<Record<string, unknown>>,
  defaults: readonly (readonly [name: string, arg: Arg])[],
): Readonly<Record<string, unknown>> {
  const nulls = defaults.filter(([name]) => given[name] === null);
  if (nulls.length === 0) return given;
  return { ...given, ...Object.fromEntries(nulls.map(([name, arg]) => [name, arg.defaultValue])) };
}

function textFaults(path: string, value: unknown, level: number): Fault[] {
  if (level > LEVELS_MAX) {
    const message = `It is deeper than ${LEVELS_MAX} levels.`;
    return [{ path, code: 'invalid', message }];
  }
  if (typeof value === 'string') {
    return NOT_TEXT.filter(({ isIn }) => isIn(value)).map(({ what }) => {
      const message = `\`${path}\` must not hold ${what}.`;
      return { path, code: 'invalid', message };
    });
  }
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => [
    ...textFaults(path, name, level),
    ...textFaults(`${path}.${name}`, inner, level + 1),
  ]);
}

/** @throws invalid_request for a page out of bounds, invalid_cursor */
function requirePage(args: Readonly<Record<string, unknown>>): void {
  const { first, last, after, before } = args;
  const sizes = Object.entries({ first, last }).flatMap(([path, size]): Fault[] => {
    if (size == null || (Number(size) >= 1 && Number(size) <= PAGE_MAX)) return [];
    return [{ path, code: 'out_of_range', message: `${path} must be from 1 to ${PAGE_MAX}.` }];
  });
  const bothMessage = 'A page is read either by first and after, or by last and before.';
  const forwards = first != null || after != null;
  const backwards = last != null || before != null;
  const both: Fault[] =
    forwards && backwards ? [{ path: 'last', code: 'invalid', message: bothMessage }] : [];
  failOnFaults([...sizes, ...both]);
  for (const cursor of [after, before]) {
    if (cursor != null && isForged(String(cursor))) fail('invalid_cursor', { param: 'cursor' });
  }
}

/** Lists that Prisma reads wrap an id; anything else inside would reach the database. */
function isForged(cursor: string): boolean {
  const text = Buffer.from(cursor, 'base64').toString('latin1');
  return text.startsWith('GPC:') && !isUuid(text.replace(/^GPC:S:/, ''));
}

/** Pothos reads the cursors of nested lists before their own resolvers run. */
function named(error: unknown): never {
  if (!(error instanceof PothosValidationError) || error.originalError instanceof GatewayError) {
    throw error;
  }
  if (error.message.startsWith('Invalid cursor'))
    return fail('invalid_cursor', { param: 'cursor', cause: error });
  return fail('invalid_request', { values: { summary: error.message }, cause: error });
}
