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
      type: place.type,
      words: place.name === 'id' ? subject : wordsOf(place.name),
      isRequired: isNonNullType(arg.type) && isNonNullType(place.type),
      holding: (id: string) => ({ [arg.name]: place.valueOf(id) }),
    }));
}

/** A cursor is a moment, behind which the caller's own list goes on: whose it was says nothing. */
const CURSOR = 'after';

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
      placesIn(field.type, field.name).map((place) => ({
        ...place,
        valueOf: (id: string) => {
          const rest = madeUp(isNonNullType(type) ? type.ofType : type) as Record<string, unknown>;
          return { ...withFreshKeys(rest), [field.name]: place.valueOf(id) };
        },
      })),
    );
  }
  const takesOne = getNullableType(type) === named;
  const takesId = isIdType(type) || named.name === 'String';
  return takesId && takesOne ? [{ name, type, valueOf: (id) => id }] : [];
}

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

/** The words of a name, singular and in small letters; `id` says nothing. */
export function wordsOf(name: string): readonly string[] {
  const words = name.split(/[-_]|(?<=[a-z])(?=[A-Z])/).map((word) => word.toLowerCase());
  return words
    .filter((word) => word !== 'id')
    .map((word) => word.replace(/ies$/, 'y').replace(/s$/, ''));
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
  const fitting = kinds.filter((kind) => wordsOf(kind).some((word) => words.includes(word)));
  const others = kinds.filter((kind) => !fitting.includes(kind));
  if (fitting.length === 0 && isIdType(type)) return kinds;
  turn += 1;
  return [...fitting, ...others.slice(turn % others.length).slice(0, 1)];
}
