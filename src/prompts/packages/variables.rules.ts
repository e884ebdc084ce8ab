import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, fits, length, wellFormed } from '../../kernel/errors/faults.js';
import { asObject } from '../../kernel/json.js';
import { jsonFaults, type Reading } from './faults.js';
import type { StatedVariable } from './tables.js';
import { PROMPT_BOUNDS, type PromptVariable, type VariableType } from './vocabulary.js';

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The variables of a version, with every fault; none where none are stated. */
export function readVariables(
  path: string,
  stated: readonly StatedVariable[] | null | undefined,
): Reading<readonly PromptVariable[]> {
  const value = stated ?? [];
  const tooMany = count(path, value, { max: PROMPT_BOUNDS.variables }, 'variables');
  if (tooMany.length > 0) return { value: [], faults: tooMany };
  const names = value.map(({ name }) => name);
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [fault(`${path}.${index}`, 'invalid', `names ${name} a second time`)],
  );
  const faults = value.flatMap((each, index) => variableFaults(`${path}.${index}`, each));
  return { value, faults: [...faults, ...twice] };
}

/** Whether a value has the type that a variable declares. */
export function hasType(value: unknown, type: VariableType): boolean {
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return asObject(value) !== undefined;
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}

function variableFaults(path: string, variable: StatedVariable): Fault[] {
  const { name, type, description, default: fallback } = variable;
  const at = (member: string) => `${path}.${member}`;
  const max = PROMPT_BOUNDS.variableNameChars;
  const isName = NAME.test(name) && name.length <= max;
  const what = `must be letters, digits and _, not beginning with a digit, at most ${max}`;
  const isTyped = fallback === null || hasType(fallback, type);
  return [
    ...fits(at('name'), isName, what),
    ...length(at('description'), description, { max: PROMPT_BOUNDS.descriptionChars }),
    ...wellFormed(at('description'), description),
    ...jsonFaults(at('default'), fallback),
    ...(isTyped ? [] : [fault(at('default'), 'wrong_type', `must be of the type ${type}`)]),
  ];
}
