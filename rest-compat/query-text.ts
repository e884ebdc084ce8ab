import {
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isListType,
} from 'graphql';

/** Query parameters as parsed: a repeated one is a list. */
export type QueryParameters = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Turns the text of a query parameter into the JSON value that its type expects. */
export type FromText = (text: string | readonly string[]) => unknown;

/**
 * The reading of query text for a type. Text that does not fit is returned as it is, so that the
 * coercion of the type names the fault.
 */
export function compileFromText(type: GraphQLInputType): FromText {
  const nullable = getNullableType(type);
  const one = oneFromText(getNamedType(type).name, isInputObjectType(getNamedType(type)));
  if (isListType(nullable)) {
    return (text) => {
      const parts = typeof text === 'string' ? text.split(',') : text.flatMap((t) => t.split(','));
      return parts.filter((part) => part !== '').map((part) => one(part.trim()));
    };
  }
  // A parameter that may be given once only: the list is a fault of its type.
  return (text) => (typeof text === 'string' ? one(text) : text);
}

const INTEGER = /^-?\d{1,16}$/;
const NUMBER = /^-?\d+(\.\d+)?([eE][+-]?\d+)?$/;
const BOOLEANS: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['false', false],
  ['0', false],
]);

function oneFromText(typeName: string, isObject: boolean): (text: string) => unknown {
  if (typeName === 'Int') return (text) => (INTEGER.test(text) ? Number(text) : text);
  if (typeName === 'Float') return (text) => (NUMBER.test(text) ? Number(text) : text);
  if (typeName === 'Boolean') return (text) => BOOLEANS.get(text) ?? text;
  if (typeName === 'JSON' || isObject) return jsonOrText;
  return (text) => text;
}

function jsonOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
