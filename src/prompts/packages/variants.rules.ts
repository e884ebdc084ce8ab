import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, length, present, range, wellFormed } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { ignoredMembers, type Reading } from './faults.js';
import { type ModelVariant, PROMPT_BOUNDS } from './vocabulary.js';

const MEMBERS = ['name', 'model', 'temperature', 'max_tokens', 'weight'];

/** The numbers of a variant: bounds, and what is accepted. */
const NUMBERS = [
  { member: 'temperature', min: 0, max: PROMPT_BOUNDS.temperature, whole: false },
  { member: 'max_tokens', min: 1, max: PROMPT_BOUNDS.maxTokens, whole: true },
  { member: 'weight', min: 1, max: PROMPT_BOUNDS.weight, whole: true },
] as const;

/**
 * Model variants in every form that is accepted: a list of models, or of objects with a `model`.
 * Null and absent mean none. Whether a model is known is a question of the gate.
 */
export function readVariants(path: string, input: unknown): Reading<readonly ModelVariant[]> {
  const none = { value: [], ignored: [] };
  if (input == null) return { ...none, faults: [] };
  if (!Array.isArray(input)) {
    return { ...none, faults: [fault(path, 'wrong_type', 'must be a list of models or objects')] };
  }
  const tooMany = count(path, input, { max: PROMPT_BOUNDS.modelVariants }, 'variants');
  if (tooMany.length > 0) return { ...none, faults: tooMany };
  const read = input.map((item, index) => readVariant(`${path}.${index}`, item));
  const names = read.map(({ value }) => value.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${path}.${index}.name`, 'invalid', `is ${name} a second time`)],
  );
  return {
    value: read.map(({ value }) => value),
    faults: [...read.flatMap(({ faults }) => faults), ...twice],
    ignored: read.flatMap(({ ignored }) => ignored),
  };
}

function readVariant(path: string, item: unknown): Reading<ModelVariant> {
  const given = typeof item === 'string' ? { model: item } : (asObject(item) ?? {});
  const isReadable = typeof item === 'string' || asObject(item) !== undefined;
  const { name, model, temperature, max_tokens, weight }: JsonObject = given;
  const text = typeof model === 'string' ? model : '';
  const value: ModelVariant = {
    name: typeof name === 'string' ? name : text,
    model: text,
    temperature: typeof temperature === 'number' ? temperature : null,
    max_tokens: typeof max_tokens === 'number' ? max_tokens : null,
    weight: typeof weight === 'number' ? weight : 1,
  };
  const faults = isReadable
    ? variantFaults(path, given)
    : [fault(path, 'wrong_type', 'must be a model or an object')];
  return { value, faults, ignored: ignoredMembers(path, given, MEMBERS) };
}

function variantFaults(path: string, given: JsonObject): Fault[] {
  const { name, model } = given;
  return [
    ...present(`${path}.model`, model, 'is missing'),
    ...wordFaults(`${path}.model`, model),
    ...wordFaults(`${path}.name`, name),
    ...NUMBERS.flatMap(({ member, min, max, whole }): Fault[] => {
      const value = given[member];
      if (value == null) return [];
      const at = `${path}.${member}`;
      const isNumber = whole ? Number.isInteger(value) : typeof value === 'number';
      if (isNumber) return range(at, value as number, { min, max });
      return [fault(at, 'wrong_type', `must be ${whole ? 'an integer' : 'a number'}`)];
    }),
  ];
}

function wordFaults(path: string, word: unknown): Fault[] {
  if (word == null) return [];
  if (typeof word !== 'string') return [fault(path, 'wrong_type', 'must be a text')];
  return [
    ...length(path, word, { min: 1, max: PROMPT_BOUNDS.modelChars }),
    ...wellFormed(path, word),
  ];
}
