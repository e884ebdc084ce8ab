import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  type DefinitionNode,
  type DocumentNode,
  type FragmentDefinitionNode,
  type GraphQLInputType,
  getNamedType,
  isInputObjectType,
  Kind,
  parse,
  print,
  visit,
} from 'graphql';
import { expect } from 'vitest';
import { withEveryField } from '../../rest-compat/every-field.js';
import type { InputNames } from '../../rest-compat/input-names.js';
import { withDirectives } from '../../rest-compat/rest-directive.js';
import type { CompiledRow } from '../../rest-compat/row.js';
import { loadRestTable } from '../../src/app/rest.js';
import { openSchema } from '../../src/app/schema.js';
import { projectRoot } from '../../src/platform/database/project-root.js';
import { graphql, rest, type TestApp } from '../support/app.js';

const schema = await openSchema();

/** A JSON object. */
export type Json = Record<string, unknown>;

/** A way to call an operation by its name, with the variables of the wire. */
export type Voice = (
  operation: string,
  variables?: Json,
  credential?: string,
) => Promise<{ readonly answer: Json; readonly failure: string | undefined }>;

/** The lists of the wire and of the graph in one shape, amounts as numbers. */
function plain(value: unknown): Json {
  const text = JSON.stringify(value).replace(
    /"((?:\w+_)?rub)":"(-?[\d.]+)"/g,
    (_, name: string, amount: string) => `"${name}":${Number(amount)}`,
  );
  return JSON.parse(text) as Json;
}

const ROWS = new Map((await loadRestTable()).rows.map((row) => [row.name, row]));

/** Calls by method and path. */
export function restVoice(app: TestApp): Voice {
  return async (operation, variables = {}, credential) => {
    const row = ROWS.get(operation);
    if (!row) throw new Error(`no row is called ${operation}`);
    const { method, path } = row.contract;
    const left = { ...variables };
    const filled = path.replace(/\{\+?(\w+)\}/g, (_, name: string) => {
      const value = String(left[name]);
      delete left[name];
      return encodeURIComponent(value);
    });
    const isRead = method === 'GET' || method === 'DELETE';
    const search = isRead ? `?${new URLSearchParams(left as Record<string, string>)}` : '';
    const { body } = await rest<Json>(app, method, filled + search, {
      credential,
      body: isRead ? undefined : left,
    });
    const failure = (body.error as { code?: string } | undefined)?.code;
    if (failure) return { answer: {}, failure };
    const isList = body.object === 'list' && Array.isArray(body.data);
    return { answer: plain(isList ? { nodes: body.data } : body), failure };
  };
}

/** Calls the same operations as GraphQL, as a console would send them. */
export function graphqlVoice(app: TestApp): Voice {
  const texts = operationTexts();
  return async (operation, variables = {}, credential) => {
    const row = ROWS.get(operation);
    const { data, errors } = await graphql<Json>(
      app,
      texts.get(operation) ?? '',
      row ? graphVariables(row, variables) : variables,
      credential,
    );
    const failure = errors?.[0]?.extensions.code;
    if (failure) return { answer: {}, failure };
    return { answer: plain(Object.values(data)[0]), failure };
  };
}

/** The variables of a row as a GraphQL client sends them: what makes up a body in its input. */
function graphVariables(row: CompiledRow, wire: Json): Json {
  const input = row.variables.find(({ name }) => name === row.contract.body);
  if (!input) return wire;
  const single = new Set(row.variables.filter((each) => each !== input).map(({ name }) => name));
  const split = (isSingle: boolean) =>
    Object.fromEntries(Object.entries(wire).filter(([name]) => single.has(name) === isSingle));
  return { ...split(true), [input.name]: graphValue(split(false), input.type, row.names) };
}

/** A value of the wire under the names of the graph. */
function graphValue(value: unknown, type: GraphQLInputType, names: InputNames): unknown {
  const named = getNamedType(type);
  const bare = isInputObjectType(named) ? names.bareFieldOf(named) : undefined;
  if (bare !== undefined && typeof value === 'string') return { [bare]: value };
  if (!isInputObjectType(named) || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => graphValue(each, named, names));
  const fields = new Map(names.fieldsOf(named).map((field) => [field.wireName, field]));
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const field = fields.get(name);
      if (!field) return [name, member];
      return [field.field.name, graphValue(member, field.field.type, field.below)];
    }),
  );
}

/** The operations of the routes as any GraphQL client may send them: without `@rest` and `@all`. */
function operationTexts(): ReadonlyMap<string, string> {
  const folder = join(projectRoot(), 'rest-compat', 'routes');
  const texts = new Map<string, string>();
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.graphql'))) {
    const definitions = withoutAll(parse(readFileSync(join(folder, file), 'utf8')));
    const fragments = definitions.filter(({ kind }) => kind === Kind.FRAGMENT_DEFINITION);
    for (const definition of definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      const parts = [definition, ...usedBy(definition, fragments)];
      const text = parts.map((part) => print(visit(part, { Directive: () => null })));
      texts.set(definition.name?.value ?? '', text.join('\n'));
    }
  }
  return texts;
}

/** The definitions of a file with every selection written out. */
function withoutAll({ definitions }: DocumentNode): DefinitionNode[] {
  const rest = join(projectRoot(), 'rest-compat', 'rest.graphql');
  const { all: directive } = withDirectives(schema, rest);
  const isFragment = (one: DefinitionNode): one is FragmentDefinitionNode =>
    one.kind === Kind.FRAGMENT_DEFINITION;
  const written = definitions.filter(isFragment);
  const fragments = new Map(written.map((each) => [each.name.value, each]));
  const plan = { schema, directive, fragments };
  return definitions.map((one) => {
    if (isFragment(one)) {
      return withEveryField(one, schema.getType(one.typeCondition.name.value), plan);
    }
    if (one.kind !== Kind.OPERATION_DEFINITION) return one;
    return withEveryField(one, schema.getRootType(one.operation) ?? undefined, plan);
  });
}

function usedBy(root: DefinitionNode, fragments: readonly DefinitionNode[]): DefinitionNode[] {
  const names = new Set<string>();
  const collect = (node: DefinitionNode): void => {
    visit(node, {
      FragmentSpread({ name }) {
        if (names.has(name.value)) return;
        names.add(name.value);
        for (const fragment of fragments) if (nameOf(fragment) === name.value) collect(fragment);
      },
    });
  };
  collect(root);
  return fragments.filter((fragment) => names.has(nameOf(fragment)));
}

function nameOf(definition: DefinitionNode): string {
  return definition.kind === Kind.FRAGMENT_DEFINITION ? definition.name.value : '';
}

/** What a story is told by: every answer is kept under the name of its step. */
export class Story {
  readonly told: Json = {};

  constructor(private readonly voice: Voice) {}

  /** A step that is answered. */
  async step(name: string, operation: string, variables?: Json, who?: string): Promise<Json> {
    const { answer, failure } = await this.voice(operation, variables, who);
    expect({ step: name, failure }).toEqual({ step: name, failure: undefined });
    this.told[name] = answer;
    return answer;
  }

  /** A step that is refused. @returns the code */
  async refused(name: string, operation: string, variables?: Json, who?: string) {
    const { failure } = await this.voice(operation, variables, who);
    this.told[name] = failure ?? 'was not refused';
    return failure;
  }
}

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const VARYING = /(^|_)(ms|at|hash|sha256|secret|cursor|timestamp)$/;

/** The same story without what differs between any two customers: ids in order, times, hashes. */
export function comparable(value: unknown): unknown {
  const ids = new Map<string, string>();
  const text = JSON.stringify(value, (name, each: unknown) =>
    VARYING.test(name) && each !== null ? '~' : each,
  ).replace(UUID, (id) => {
    const known = ids.get(id) ?? `id ${ids.size + 1}`;
    ids.set(id, known);
    return known;
  });
  return JSON.parse(text.replaceAll(/"[0-9a-f]{64}"/g, '"~"')) as unknown;
}
