import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { fault, ignoredMembers, type Reading, textFaults } from './faults.js';
import { type ModelVariant, PROMPT_BOUNDS } from './vocabulary.js';

const PATH = 'model_variants';
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
export function readVariants(input: unknown): Reading<readonly ModelVariant[]> {
  const none = { value: [], ignored: [] };
  if (input == null) return { ...none, faults: [] };
  if (!Array.isArray(input)) {
    return { ...none, faults: [fault(PATH, 'wrong_type', 'must be a list of models or objects')] };
  }
  const max = PROMPT_BOUNDS.modelVariants;
  if (input.length > max) {
    return { ...none, faults: [fault(PATH, 'out_of_range', `has at most ${max} variants`)] };
  }
  const read = input.map(readVariant);
  const names = read.map(({ value }) => value.name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${PATH}.${index}.name`, 'invalid', `is ${name} a second time`)],
  );
  return {
    value: read.map(({ value }) => value),
    faults: [...read.flatMap(({ faults }) => faults), ...twice],
    ignored: read.flatMap(({ ignored }) => ignored),
  };
}

function readVariant(item: unknown, index: number): Reading<ModelVariant> {
  const path = `${PATH}.${index}`;
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
    ...(model == null ? [fault(`${path}.model`, 'missing', 'is missing')] : []),
    ...(model == null ? [] : wordFaults(`${path}.model`, model)),
    ...(name == null ? [] : wordFaults(`${path}.name`, name)),
    ...NUMBERS.flatMap(({ member, min, max, whole }): Fault[] => {
      const value = given[member];
      if (value == null) return [];
      const at = `${path}.${member}`;
      const isNumber = whole ? Number.isInteger(value) : typeof value === 'number';
      if (!isNumber)
        return [fault(at, 'wrong_type', `must be ${whole ? 'an integer' : 'a number'}`)];
      if ((value as number) >= min && (value as number) <= max) return [];
      return [fault(at, 'out_of_range', `must be from ${min} to ${max}`)];
    }),
  ];
}

function wordFaults(path: string, word: unknown): Fault[] {
  const max = PROMPT_BOUNDS.modelChars;
  if (typeof word !== 'string') return [fault(path, 'wrong_type', 'must be a text')];
  const isFit = word.trim() !== '' && word.length <= max;
  return isFit
    ? textFaults(path, word)
    : [fault(path, 'out_of_range', `must have 1 to ${max} characters`)];
}
