import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import {
  fault,
  ignoredMembers,
  jsonFaults,
  type Reading,
  textFaults,
  unknownValue,
} from './faults.js';
import {
  PROMPT_BOUNDS,
  type PromptVariable,
  VARIABLE_TYPES,
  type VariableType,
} from './vocabulary.js';

const PATH = 'variables';
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const MEMBERS = ['name', 'type', 'required', 'description', 'default', 'trusted'];
const TYPES = VARIABLE_TYPES.map(({ code }) => code);

/** A variable as it is stated, with its place in the input. */
interface Stated {
  readonly path: string;
  readonly given: JsonObject;
}

/**
 * Variables in every form that is accepted: a list of names, a list of objects with a `name`, or
 * an object from names to objects (or to the name of a type). Null and absent mean none.
 */
export function readVariables(input: unknown): Reading<readonly PromptVariable[]> {
  const { stated, faults } = statedVariables(input);
  const read = stated.map(readVariable);
  const names = read.map(({ value }) => value.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${PATH}.${index}`, 'invalid', `names ${name} a second time`)],
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

function statedVariables(input: unknown): { stated: Stated[]; faults: Fault[] } {
  if (input == null) return { stated: [], faults: [] };
  const given = Array.isArray(input) ? input.map(statedInList) : statedInMap(asObject(input));
  if (!given) {
    const what = 'must be a list of names or objects, or an object by names';
    return { stated: [], faults: [fault(PATH, 'wrong_type', what)] };
  }
  const max = PROMPT_BOUNDS.variables;
  if (given.length > max) {
    return { stated: [], faults: [fault(PATH, 'out_of_range', `has at most ${max} variables`)] };
  }
  return {
    stated: given.flatMap((each) => ('message' in each ? [] : [each])),
    faults: given.flatMap((each) => ('message' in each ? [each] : [])),
  };
}

function statedInList(item: unknown, index: number): Stated | Fault {
  const path = `${PATH}.${index}`;
  if (typeof item === 'string') return { path, given: { name: item } };
  const given = asObject(item);
  return given ? { path, given } : fault(path, 'wrong_type', 'must be a name or an object');
}

function statedInMap(map: JsonObject | undefined): (Stated | Fault)[] | undefined {
  if (!map) return undefined;
  return Object.entries(map).map(([name, item]) => {
    const path = `${PATH}.${name}`;
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
    type: TYPES.find((code) => code === type) ?? 'string',
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
  const chars = PROMPT_BOUNDS.descriptionChars;
  const hasDefault = value.default !== null;
  return [
    ...nameFaults(at('name'), given.name),
    ...(type == null || TYPES.some((code) => code === type)
      ? []
      : [unknownValue(at('type'), type, TYPES)]),
    ...['required', 'trusted'].flatMap((member) =>
      given[member] == null || typeof given[member] === 'boolean'
        ? []
        : [fault(at(member), 'wrong_type', 'must be true or false')],
    ),
    ...(description == null || typeof description === 'string'
      ? []
      : [fault(at('description'), 'wrong_type', 'must be a text')]),
    ...((value.description?.length ?? 0) > chars
      ? [fault(at('description'), 'out_of_range', `has at most ${chars} characters`)]
      : []),
    ...textFaults(at('description'), value.description ?? ''),
    ...jsonFaults(at('default'), value.default),
    ...(hasDefault && !hasType(value.default, value.type)
      ? [fault(at('default'), 'wrong_type', `must be of the type ${value.type}`)]
      : []),
  ];
}

function nameFaults(path: string, name: unknown): Fault[] {
  if (name == null) return [fault(path, 'missing', 'is missing')];
  const max = PROMPT_BOUNDS.variableNameChars;
  if (typeof name === 'string' && NAME.test(name) && name.length <= max) return [];
  const what = `must be letters, digits and _, not beginning with a digit, at most ${max}`;
  return [fault(path, 'invalid', what)];
}
