import type { Fault } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { schemaFaults } from './json-schema.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Every fault of the input of a run, under `input.<name>`. */
export function inputFaults(schema: JsonObject, input: unknown): Fault[] {
  const { inputBytesMax } = BLUEPRINT_BOUNDS;
  if (Buffer.byteLength(JSON.stringify(input)) <= inputBytesMax) {
    return schemaFaults(schema, input, 'input');
  }
  const message = `input must have at most ${inputBytesMax} bytes as JSON.`;
  return [{ path: 'input', code: 'out_of_range', message }];
}

/** Every fault of the metadata of a run: a few short texts, and not the feature. */
export function metadataFaults(given: unknown): Fault[] {
  const metadata = asObject(given);
  if (!metadata) {
    return [{ path: 'metadata', code: 'wrong_type', message: 'metadata must be an object.' }];
  }
  const { metadataEntriesMax, metadataCharactersMax } = BLUEPRINT_BOUNDS;
  const entries = Object.entries(metadata);
  if (entries.length > metadataEntriesMax) {
    const message = `metadata must have at most ${metadataEntriesMax} entries.`;
    return [{ path: 'metadata', code: 'out_of_range', message }];
  }
  return entries.flatMap(([name, value]): Fault[] => {
    const path = `metadata.${name}`;
    if (RESERVED.has(name)) {
      const message = `${path} cannot be given: it is ${RESERVED.get(name)}.`;
      return [{ path, code: 'invalid', message }];
    }
    if (typeof value === 'string' && value.length <= metadataCharactersMax) return [];
    const message = `${path} must be a text of at most ${metadataCharactersMax} characters.`;
    return [{ path, code: typeof value === 'string' ? 'out_of_range' : 'wrong_type', message }];
  });
}

/** What a run decides by itself. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['feature', 'that of the manifest, so that costs are reported by blueprint'],
  ['blueprint_run', 'the id of the run, by which usage names it'],
  ['prompt_key', 'not used: the templates are those of the manifest'],
  ['prompt_version', 'not used: the templates are those of the manifest'],
]);
