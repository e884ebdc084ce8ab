import type { Fault } from '../../kernel/errors/fail.js';
import {
  count,
  fault,
  fits,
  length,
  oneOf,
  present,
  wellFormed,
} from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { ignoredMembers, jsonFaults, type Reading } from './faults.js';
import {
  PROMPT_BOUNDS,
  type PromptVariable,
  VARIABLE_TYPES,
  type VariableType,
} from './vocabulary.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBERS = ['name', 'type', 'required', 'description', 'default', 'trusted'];

/** A variable as it is stated, with its place in the input. */
interface Stated {
  readonly path: string;
  readonly given: JsonObject;
}

/**
 * Variables in every form that is accepted: a list of names, a list of objects with a `name`, or
 * an object from names to objects (or to the name of a type). Null and absent mean none.
 */
export function readVariables(path: string, input: unknown): Reading<readonly PromptVariable[]> {
  const { stated, faults } = statedVariables(path, input);
  const read = stated.map(readVariable);
  const names = read.map(({ value }) => value.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${path}.${index}`, 'invalid', `names ${name} a second time`)],
  );
  return {
    value: read.map(({ value }) => value),
    faults: [...faults, ...read.flatMap((each) => each.faults), ...twice],
    ignored: read.flatMap(({ ignored }) => ignored),
  };
}

/** Whether a value has the type that a variable declares. */
export function hasType(value: unknown, type: VariableType): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return asObject(value) !== undefined;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function statedVariables(path: string, input: unknown): { stated: Stated[]; faults: Fault[] } {
  if (input == null) return { stated: [], faults: [] };
  const given = Array.isArray(input)
    ? input.map((item, index) => statedInList(`${path}.${index}`, item))
    : statedInMap(path, asObject(input));
  if (!given) {
    const what = 'must be a list of names or objects, or an object by names';
    return { stated: [], faults: [fault(path, 'wrong_type', what)] };
  }
  const tooMany = count(path, given, { max: PROMPT_BOUNDS.variables }, 'variables');
  if (tooMany.length > 0) return { stated: [], faults: tooMany };
  return {
    stated: given.flatMap((each) => ('message' in each ? [] : [each])),
    faults: given.flatMap((each) => ('message' in each ? [each] : [])),
  };
}

function statedInList(path: string, item: unknown): Stated | Fault {
  if (typeof item === 'string') return { path, given: { name: item } };
  const given = asObject(item);
  return given ? { path, given } : fault(path, 'wrong_type', 'must be a name or an object');
}

function statedInMap(above: string, map: JsonObject | undefined): (Stated | Fault)[] | undefined {
  if (!map) return undefined;
  return Object.entries(map).map(([name, item]) => {
    const path = `${above}.${name}`;
    if (typeof item === 'string') return { path, given: { name, type: item } };
    const given = item === null ? {} : asObject(item);
    if (given) return { path, given: { ...given, name } };
    return fault(path, 'wrong_type', 'must be a type or an object');
  });
}

function readVariable({ path, given }: Stated): Reading<PromptVariable> {
  const { name, type, required, description, trusted } = given;
  const value: PromptVariable = {
    name: typeof name === 'string' ? name : '',
    type: VARIABLE_TYPES.find(String(type))?.code ?? 'string',
    required: required !== false,
    description: typeof description === 'string' ? description : null,
    default: given.default ?? null,
    trusted: typeof trusted === 'boolean' ? trusted : null,
  };
  return {
    value,
    faults: variableFaults(path, given, value),
    ignored: ignoredMembers(path, given, MEMBERS),
  };
}

function variableFaults(path: string, given: JsonObject, value: PromptVariable): Fault[] {
  const { type, description } = given;
  const at = (member: string) => `${path}.${member}`;
  const isText = description == null || typeof description === 'string';
  const isTyped = value.default === null || hasType(value.default, value.type);
  const isFlag = (member: string) => given[member] == null || typeof given[member] === 'boolean';
  return [
    ...nameFaults(at('name'), given.name),
    ...oneOf(at('type'), type == null ? null : String(type), VARIABLE_TYPES.codes),
    ...['required', 'trusted'].flatMap((member) =>
      typed(at(member), isFlag(member), 'must be true or false'),
    ),
    ...typed(at('description'), isText, 'must be a text'),
    ...length(at('description'), value.description, { max: PROMPT_BOUNDS.descriptionChars }),
    ...wellFormed(at('description'), value.description),
    ...jsonFaults(at('default'), value.default),
    ...typed(at('default'), isTyped, `must be of the type ${value.type}`),
  ];
}

function typed(path: string, isTyped: boolean, what: string): Fault[] {
  return isTyped ? [] : [fault(path, 'wrong_type', what)];
}

function nameFaults(path: string, name: unknown): Fault[] {
  if (name == null) return present(path, name, 'is missing');
  const max = PROMPT_BOUNDS.variableNameChars;
  const isName = typeof name === 'string' && NAME.test(name) && name.length <= max;
  const what = `must be letters, digits and _, not beginning with a digit, at most ${max}`;
  return fits(path, isName, what);
}
