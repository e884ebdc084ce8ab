import { type Observation, type Reading, variableIn } from '../observation.js';
import { OBSERVATIONS_MAX } from '../vocabulary.js';

/** Lists of a service whose entries are `NAME=value`. */
const ASSIGNING = new Set(['environment', 'args', 'labels']);
const COMMANDS = new Set(['command', 'entrypoint']);
const ASSIGNED = /^([A-Za-z_][\w.-]{0,99})=(.*)$/s;
const OPTION = /^--([A-Za-z][\w-]{0,60})(?:=(.*))?$/s;
const WORDS_MAX = 200;

/** Reads what stands inside texts of a compose file: assignments in lists, options of commands. */
export function withComposed({ observations, faults, tokens }: Reading): Reading {
  const all = observations.flatMap((place, index) => composed(place, observations[index - 1]));
  return { observations: all.slice(0, OBSERVATIONS_MAX), faults, tokens };
}

function composed(place: Observation, previous: Observation | undefined): Observation[] {
  const { name, path, text = '', shape } = place;
  if (shape !== 'text') return [place];
  const around = path.at(-1) ?? '';
  if (name === '' && ASSIGNING.has(around)) return [assigned(place)];
  if (COMMANDS.has(name)) return [place, ...optionsOf(place, text.split(/\s+/, WORDS_MAX))];
  if (name !== '' || !COMMANDS.has(around)) return [place];
  const [, option] = OPTION.exec(previous?.text ?? '') ?? [];
  return option === undefined || OPTION.test(text)
    ? [place, ...optionsOf(place, [text])]
    : [named(place, option, text)];
}

function assigned(place: Observation): Observation {
  const [, name, value = ''] = ASSIGNED.exec(place.text ?? '') ?? [];
  return name === undefined ? place : { ...named(place, name, value), before: name };
}

function named(place: Observation, name: string, value: string): Observation {
  const shape = value === '' ? 'empty' : 'text';
  return { ...place, kind: 'pair', name, text: value, variable: variableIn(value), shape };
}

/** The options of a command that is one text. They share its place, so nothing of it is edited. */
function optionsOf(place: Observation, words: readonly string[]): Observation[] {
  return words.flatMap((word, index) => {
    const [, name, own] = OPTION.exec(word) ?? [];
    if (name === undefined) return [];
    const next = words[index + 1] ?? '';
    const value = own ?? (OPTION.test(next) ? '' : next);
    return [{ ...named(place, name, value), isNested: true }];
  });
}
