import {
  type GraphQLInputType,
  type GraphQLOutputType,
  getNamedType,
  isCompositeType,
  isInputObjectType,
  isInterfaceType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { exampleRequest } from '../../../rest-compat/example.js';
import type { InputNames } from '../../../rest-compat/input-names.js';
import type { CompiledRow } from '../../../rest-compat/row.js';
import { loadRestTable } from '../../../src/app/rest.js';
import {
  documentOf,
  FIELD_OF_ROW,
  ROOT_FIELDS,
  type RootField,
} from '../../support/root-fields.js';
import { fittingKinds, isIdType, type Place, placesOf, wordsOf } from '../id-places.js';
import type { Asked } from './answers.js';

/** A way to ask for a thing of another organization, and what kinds of things it could be. */
export interface ForeignCall {
  readonly name: string;
  /** The root field behind it. */
  readonly field: string;
  readonly isRead: boolean;
  /** True where the schema or the name of the place says that an id stands there. */
  readonly isId: boolean;
  /** True where nothing is asked without it. */
  readonly isRequired: boolean;
  /** The words by which kinds are found; an id that fits none is tried with all kinds. */
  readonly place: Pick<Place, 'type' | 'words'>;
  asked(id: string): Asked;
}

/** So many kinds are tried where several fit a place alike. */
const KINDS_MAX = 2;

/**
 * The kinds of things that are tried in a call: those that share the most words with its place, and
 * have the fewest others. Of a text that is not called an id they must share all of theirs.
 */
export function kindsOf({ place, isId }: ForeignCall, kinds: readonly string[]): string[] {
  const fitting = fittingKinds(place, kinds).map((kind) => {
    const words = wordsOf(kind);
    const shared = words.filter((word) => place.words.includes(word)).length;
    return { kind, shared, others: words.length - shared };
  });
  const named = isId ? fitting : fitting.filter(({ others }) => others === 0);
  if (named.length === 0) return isId && isIdType(place.type) ? [...kinds] : [];
  const best = named.sort((a, b) => b.shared - a.shared || a.others - b.others);
  return best.slice(0, KINDS_MAX).map(({ kind }) => kind);
}

const PAGE = { first: 1 };
const LEVELS = 1;
const ID_NAME = /(id|ref)s?$/i;

/** What can be read of a type without arguments, some levels deep. */
export function selectionOf(type: GraphQLOutputType, levels = LEVELS): string {
  const named = getNamedType(type);
  if (!isCompositeType(named)) return '';
  if (!isObjectType(named) && !isInterfaceType(named)) return '{ __typename }';
  const parts = Object.values(named.getFields()).map((field) => {
    if (field.args.some(({ type: asked }) => isNonNullType(asked))) return '';
    if (!isCompositeType(getNamedType(field.type))) return field.name;
    const isMany = isListType(isNonNullType(field.type) ? field.type.ofType : field.type);
    const below = levels > 0 && (!isMany || field.name === 'edges');
    return below ? `${field.name} ${selectionOf(field.type, levels - 1)}` : '';
  });
  return `{ __typename ${parts.join(' ')} }`;
}

function graphqlCalls(root: RootField): ForeignCall[] {
  const page = root.field.args.some(({ name }) => name === 'first') ? PAGE : {};
  return placesOf(root).map((place, at) => ({
    name: `${root.operation} ${root.name} (${at}: ${place.words.join(' ')})`,
    field: root.name,
    isRead: root.operation === 'query',
    isId: isIdType(place.type) || ID_NAME.test(place.name),
    isRequired: isIdType(place.type) && place.isRequired,
    place,
    asked(id) {
      const given = { ...page, ...place.holding(id) };
      const body = documentOf(root, given, selectionOf(root.field.type));
      const asked = { method: 'POST', path: '/graphql', body };
      const isFeed = root.operation === 'subscription';
      return isFeed ? { ...asked, headers: { accept: 'text/event-stream' } } : asked;
    },
  }));
}

/** Names that callers choose, whatever the wire calls them: they are no ids of things. */
const CHOSEN_NAMES = ['use_case_id', 'partner_ref', 'partnerRef', 'account_ref'];
/** Fields of bodies that are taken once in an organization: every request gets its own. */
const TAKEN_ONCE = ['event_id', 'client_ref'];

/** A place of a REST row that takes an id: where it stands, by the names of the wire. */
interface RowPlace {
  readonly path: readonly string[];
  readonly type: GraphQLInputType;
  readonly words: readonly string[];
}

/** What a variable is called, or for a bare `id` what it stands behind in the path. */
function wordsOfVariable(row: CompiledRow, name: string): readonly string[] {
  const [noun = ''] = /[^/]+(?=\/\{(?:id|ref)\})/.exec(row.contract.path) ?? [];
  const field = FIELD_OF_ROW.get(row.name)?.name ?? '';
  return name === 'id' || name === 'ref' ? [...wordsOf(noun), ...wordsOf(field)] : wordsOf(name);
}

function takesId(name: string, type: GraphQLInputType): boolean {
  if (CHOSEN_NAMES.includes(name)) return false;
  return isIdType(type) || (getNamedType(type).name === 'String' && ID_NAME.test(name));
}

function placesOfRow(row: CompiledRow): RowPlace[] {
  return row.variables.flatMap(({ name, type }) => {
    const isBody = row.contract.body === name;
    if (isInputObjectType(getNamedType(type))) {
      return placesBelow(row.names, type, isBody ? [] : [name], 2);
    }
    return takesId(name, type) ? [{ path: [name], type, words: wordsOfVariable(row, name) }] : [];
  });
}

function placesBelow(
  names: InputNames,
  type: GraphQLInputType,
  path: readonly string[],
  levels: number,
): RowPlace[] {
  const named = getNamedType(type);
  if (!isInputObjectType(named) || levels === 0) return [];
  return names.fieldsOf(named).flatMap(({ field, wireName, below }) => {
    const at = [...path, wireName];
    if (takesId(wireName, field.type)) {
      return [{ path: at, type: field.type, words: wordsOf(wireName) }];
    }
    return placesBelow(below, field.type, at, levels - 1);
  });
}

/** A value with an id at a place; of a list its first item. */
function withAt(value: unknown, [head, ...rest]: readonly string[], id: unknown): unknown {
  if (head === undefined) return id;
  if (Array.isArray(value)) return [withAt(value[0], [head, ...rest], id), ...value.slice(1)];
  const fields = typeof value === 'object' && value !== null ? value : {};
  const below = (fields as Readonly<Record<string, unknown>>)[head];
  return { ...fields, [head]: withAt(below, rest, id) };
}

let taken = 0;

function fresh(body: unknown): unknown {
  taken += 1;
  const pairs = Object.entries(body as object);
  const isTaken = (name: string) => TAKEN_ONCE.includes(name);
  return Object.fromEntries(
    pairs.map(([name, value]) => [name, isTaken(name) ? `key-${taken}` : value]),
  );
}

function restCalls(row: CompiledRow): ForeignCall[] {
  return placesOfRow(row).map((place) => ({
    name: `${row.name} (${place.path.join('.')})`,
    field: row.rootFields[0] ?? '',
    isRead: row.contract.method === 'GET',
    isId: true,
    isRequired: isIdType(place.type) && isNonNullType(place.type),
    place,
    asked: (id) => askedOfRow(row, place, id),
  }));
}

function askedOfRow(row: CompiledRow, { path: at, type }: RowPlace, id: string): Asked {
  const { path, query, body } = exampleRequest(row);
  const [name = ''] = at;
  const inPath = name in path;
  const places = inPath ? { ...path, [name]: id } : path;
  const filled = row.contract.path.replace(/\{\+?(\w+)\}/g, (_, place) =>
    encodeURIComponent(places[place] ?? ''),
  );
  const condition = row.condition?.kind === 'query' ? row.condition : undefined;
  const search = new URLSearchParams({
    ...query,
    ...(inPath || body ? {} : { [name]: id }),
    ...(condition ? { [condition.parameter]: condition.values[0] ?? '' } : {}),
  });
  const isMany = isListType(isNonNullType(type) ? type.ofType : type);
  return {
    method: row.contract.method,
    path: `${filled}?${search}`,
    body: body && fresh(inPath ? body : withAt(body, at, isMany ? [id] : id)),
  };
}

/** What a chat request names beside its operation, in a header and in metadata. */
const CHAT = { model: 'gw:auto', messages: [{ role: 'user', content: 'Здравствуйте' }] };
const NAMED_BY_CHAT: readonly (readonly [string, (id: string) => Partial<Asked>])[] = [
  ['x-gw-workspace', (id) => ({ headers: { 'x-gw-workspace': id } })],
  ['metadata.workspace_id', (id) => ({ body: { ...CHAT, metadata: { workspace_id: id } } })],
  ['model alias', (id) => ({ body: { ...CHAT, model: id } })],
  ['stream', (id) => ({ body: { ...CHAT, stream: true }, headers: { 'x-gw-workspace': id } })],
];

const { rows } = await loadRestTable();
const textType = ROOT_FIELDS.flatMap(({ field }) => field.args)[0]?.type as GraphQLInputType;

/** Asked for things of all kinds at once, below. */
const OF_ALL_KINDS: ReadonlySet<string> = new Set(['node', 'nodes']);
const ALIASES_MAX = 15;

/** Questions for things of whatever kinds: each as many as one document takes. */
export function callsOfAllKinds(ids: readonly string[]): readonly Asked[] {
  const ask = (query: string, variables: object): Asked => ({
    method: 'POST',
    path: '/graphql',
    body: { query, variables },
  });
  const groups = Array.from({ length: Math.ceil(ids.length / ALIASES_MAX) }, (_, group) =>
    ids.slice(group * ALIASES_MAX, (group + 1) * ALIASES_MAX),
  );
  const single = groups.map((group) => {
    const variables = Object.fromEntries(group.map((id, at) => [`id${at}`, id]));
    const heads = group.map((_, at) => `$id${at}: ID!`).join(', ');
    const fields = group.map((_, at) => `n${at}: node(id: $id${at}) { id }`).join(' ');
    return ask(`query(${heads}) { ${fields} }`, variables);
  });
  return [ask('query($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }), ...single];
}

/** Every way to ask for something by its id, over both wires. */
export const FOREIGN_CALLS: readonly ForeignCall[] = [
  ...ROOT_FIELDS.filter(({ name }) => !OF_ALL_KINDS.has(name)).flatMap(graphqlCalls),
  ...rows.flatMap(restCalls),
  ...NAMED_BY_CHAT.map(([name, more]) => ({
    name: `chat (${name})`,
    field: 'chatCompletionCreate',
    isRead: false,
    isId: true,
    isRequired: false,
    place: { type: textType, words: ['workspace'] },
    asked: (id: string) => ({
      method: 'POST',
      path: '/v1/chat/completions',
      body: CHAT,
      ...more(id),
    }),
  })),
];
