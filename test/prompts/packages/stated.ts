import { inputValues } from '../../../src/kernel/fields/faults.js';
import { type StatedContent, VERSION_INPUT } from '../../../src/prompts/packages/tables.js';

/** A version as tests write it: a text stands for a variable, or a model, of that name. */
export interface WrittenVersion {
  readonly template: string;
  readonly variables?: readonly (string | object)[];
  readonly modelVariants?: readonly (string | object)[];
  readonly [part: string]: unknown;
}

/** The version as rules get it, defaults filled in. */
export function stated(written: WrittenVersion): StatedContent {
  const named = (name: string) => (item: string | object) =>
    typeof item === 'string' ? { [name]: item } : item;
  return inputValues(VERSION_INPUT.fields, {
    ...written,
    variables: written.variables?.map(named('name')),
    modelVariants: written.modelVariants?.map(named('model')),
  });
}
