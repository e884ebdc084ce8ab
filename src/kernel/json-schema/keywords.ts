/** Where the value of a keyword holds further schemas. */
type Holds = 'nothing' | 'schema' | 'list' | 'map';

/** What a keyword does beyond comparing values: each is a power that a place may refuse. */
type Power = 'reference' | 'pattern' | 'asynchronous';

/** A keyword of JSON Schema. */
interface Keyword {
  readonly holds: Holds;
  readonly power?: Power;
}

function each(names: string, keyword: Keyword): (readonly [string, Keyword])[] {
  return names.split(' ').map((name) => [name, keyword] as const);
}

/**
 * The keywords that hold schemas or have a power: those of draft 2020-12 and what the compiler
 * takes of earlier ones. Every other keyword is plain: it compares a value with its own.
 */
const SPECIAL: ReadonlyMap<string, Keyword> = new Map([
  ...each('additionalProperties items contains not if then else propertyNames', {
    holds: 'schema',
  }),
  ...each('unevaluatedItems unevaluatedProperties', { holds: 'schema' }),
  ...each('prefixItems allOf anyOf oneOf', { holds: 'list' }),
  ...each('properties dependentSchemas dependencies $defs definitions', { holds: 'map' }),
  ...each('patternProperties', { holds: 'map', power: 'pattern' }),
  ...each('pattern', { holds: 'nothing', power: 'pattern' }),
  ...each('$ref $dynamicRef $recursiveRef', { holds: 'nothing', power: 'reference' }),
  ...each('$async', { holds: 'nothing', power: 'asynchronous' }),
]);

const PLAIN: Keyword = { holds: 'nothing' };

/** What a keyword is. */
export function keywordNamed(name: string): Keyword {
  return SPECIAL.get(name) ?? PLAIN;
}

/**
 * The keywords whose check takes a time that grows with the schema times the value: they neither
 * lead elsewhere nor compare elements with one another.
 */
export const PLAIN_KEYWORDS: readonly string[] = [
  ...['title', 'description', 'default', 'examples', 'type', 'enum', 'const', 'format'],
  ...['minLength', 'maxLength', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  ...['multipleOf', 'required', 'minProperties', 'maxProperties', 'minItems', 'maxItems'],
  ...['properties', 'additionalProperties', 'items', 'prefixItems'],
  ...['allOf', 'anyOf', 'oneOf', 'not'],
];
