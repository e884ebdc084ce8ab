import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isNonNullType,
} from 'graphql';
import { madeUp, type RootField } from '../support/root-fields.js';

/** A way to put an id into a field: an argument that takes one, also inside an input. */
export interface Place {
  readonly name: string;
  readonly type: GraphQLInputType;
  /** What the place says of the kind of thing that it takes, as single words. */
  readonly words: readonly string[];
  /** The field cannot be called without it. */
  readonly isRequired: boolean;
  /** The argument with this id in it. */
  holding(id: string): Record<string, unknown>;
}

/** Parts of a chat request that go on to the provider: the gateway looks nothing up by them. */
const READ_BY_PROVIDERS = new Set([
  'ChatFormatInput',
  'ChatMessageInput',
  'ChatToolChoiceInput',
  'ChatToolInput',
]);

/** Every place of a field that takes an id, or a text that could be one. */
export function placesOf({ name, field }: RootField): readonly Place[] {
  const subject = [...wordsOf(name), ...wordsOf(getNamedType(field.type).name)];
  // What a new thing is to be called names no thing that there is.
  const isNew = /(Create|Register|Store|Publish|Seal|Decide)$/.test(name);
  const places = field.args.flatMap((arg) =>
    placesIn(arg.type, arg.name).map((place) => ({ arg, place })),
  );
  return places
    .filter(({ place }) => place.name !== CURSOR)
    .filter(({ place }) => !(isNew && /(Key|Ref|plan|requestId)$/.test(place.name)))
    .map(({ arg, place }) => ({
      name: place.name,
      type: place.type,
      words: NAMELESS.has(place.name) ? subject : wordsOf(place.name),
      isRequired: isNonNullType(arg.type) && isNonNullType(place.type),
      holding: (id: string) => ({ [arg.name]: place.valueOf(id) }),
    }));
}

/** A cursor is a moment, behind which the caller's own list goes on: whose it was says nothing. */
const CURSOR = 'after';

/** Names that say nothing of what stands there: that is what the field itself is about. */
const NAMELESS: ReadonlySet<string> = new Set(['id', 'ref']);

interface Inside {
  readonly name: string;
  readonly type: GraphQLInputType;
  valueOf(id: string): unknown;
}

function placesIn(type: GraphQLInputType, name: string): readonly Inside[] {
  const named = getNamedType(type);
  if (READ_BY_PROVIDERS.has(named.name)) return [];
  if (isInputObjectType(named)) {
    return Object.values(named.getFields()).flatMap((field) =>
      placesIn(field.type, CONDITIONS.has(field.name) ? name : field.name).map((place) => ({
        ...place,
        valueOf: (id: string) => {
          const rest = madeUp(isNonNullType(type) ? type.ofType : type) as Record<string, unknown>;
          return { ...withFreshKeys(rest), [field.name]: place.valueOf(id) };
        },
      })),
    );
  }
  const takesOne = getNullableType(type) === named;
  if (isIdType(type)) return [{ name, type, valueOf: (id) => (takesOne ? id : [id]) }];
  const takesText = named.name === 'String' && takesOne;
  return takesText ? [{ name, type, valueOf: (id) => id }] : [];
}

/** Conditions of a filter: what they hold is of the kind that the filter is for. */
const CONDITIONS: ReadonlySet<string> = new Set(['eq', 'in']);

let keys = 0;

/** Keys and decided requests are taken once in an organization: every call gets its own. */
function withFreshKeys(input: Record<string, unknown>): Record<string, unknown> {
  keys += 1;
  const pairs = Object.entries(input).map(([name, value]) =>
    /(Key|^requestId)$/.test(name) ? [name, `key-${keys}`] : [name, value],
  );
  return Object.fromEntries(pairs);
}

/** True where the schema itself says that an id stands here. */
export function isIdType(type: GraphQLInputType): boolean {
  return getNamedType(type).name === 'ID';
}

/** What a thing is called in the name of a place, where that is not the name of its kind. */
const SYNONYMS: Readonly<Record<string, readonly string[]>> = {
  actor: ['user'],
  by: ['user'],
  badge: ['certification'],
  replace: ['cost', 'event'],
};

/** The words of a name, singular and in small letters; `id` says nothing. */
export function wordsOf(name: string): readonly string[] {
  const words = name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words
    .filter((word) => word !== 'id')
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''))
    .flatMap((word) => SYNONYMS[word] ?? [word]);
}

/** The kinds that share a word with a place. */
export function fittingKinds(
  { words }: Pick<Place, 'words'>,
  kinds: readonly string[],
): readonly string[] {
  return kinds.filter((kind) => wordsOf(kind).some((word) => words.includes(word)));
}

let turn = 0;

/**
 * The kinds whose ids are tried at a place: those that share a word with it, and in turn one that
 * does not. Where an id must stand and no kind shares a word, every kind is tried. So the number of
 * calls grows with the places, not with places times kinds.
 */
export function kindsAt(
  { type, words }: Pick<Place, 'type' | 'words'>,
  kinds: readonly string[],
): readonly string[] {
  const fitting = fittingKinds({ words }, kinds);
  const others = kinds.filter((kind) => !fitting.includes(kind));
  if (fitting.length === 0 && isIdType(type)) return kinds;
  turn += 1;
  return [...fitting, ...others.slice(turn % others.length).slice(0, 1)];
}
