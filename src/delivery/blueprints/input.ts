import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault } from '../../kernel/errors/faults.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import { MANIFEST_SCHEMAS } from './json-schema.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Every fault of the input of a run, under `input.<name>`. */
export function inputFaults(schema: JsonObject, input: unknown): Fault[] {
  const { inputBytesMax } = BLUEPRINT_BOUNDS;
  if (Buffer.byteLength(JSON.stringify(input)) <= inputBytesMax) {
    return MANIFEST_SCHEMAS.valueFaults(schema, input, 'input');
  }
  return [fault('input', 'out_of_range', `must have at most ${inputBytesMax} bytes as JSON`)];
}

/** Every fault of the metadata of a run: a few short texts, and not the feature. */
export function metadataFaults(given: unknown): Fault[] {
  const metadata = asObject(given);
  if (!metadata) return [fault('metadata', 'wrong_type', 'must be an object')];
  const { metadataEntriesMax, metadataCharactersMax: max } = BLUEPRINT_BOUNDS;
  const entries = Object.entries(metadata);
  const tooMany = count('metadata', entries, { max: metadataEntriesMax }, 'entries');
  if (tooMany.length > 0) return tooMany;
  return entries.flatMap(([name, value]): Fault[] => {
    const path = `metadata.${name}`;
    const reserved = RESERVED.get(name);
    if (reserved !== undefined) {
      return [fault(path, 'invalid', `cannot be given: it is ${reserved}`)];
    }
    if (typeof value === 'string' && value.length <= max) return [];
    const code = typeof value === 'string' ? 'out_of_range' : 'wrong_type';
    return [fault(path, code, `must be a text of at most ${max} characters`)];
  });
}

/** What a run decides by itself. */
const RESERVED: ReadonlyMap<string, string> = new Map([
  ['feature', 'that of the manifest, so that costs are reported by blueprint'],
  ['blueprint_run', 'the id of the run, by which usage names it'],
  ['prompt_key', 'not used: the templates are those of the manifest'],
  ['prompt_version', 'not used: the templates are those of the manifest'],
]);
