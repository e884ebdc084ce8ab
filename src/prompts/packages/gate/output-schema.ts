import { fail } from '../../../kernel/errors/fail.js';
import type { JsonObject } from '../../../kernel/json.js';
import { JsonSchemas } from '../../../kernel/json-schema/schemas.js';
import { WorkStopped } from '../../../kernel/json-schema/within-time.js';
import { PROMPT_BOUNDS } from '../vocabulary.js';

/** An output schema, compiled, or why it cannot be. Checking may throw as compiling does. */
export type CompiledSchema =
  | { readonly compiled: true; readonly faultsOf: (value: unknown) => readonly string[] }
  | { readonly compiled: false; readonly reason: string };

/** Milliseconds that compiling may take, and checking one value where the caller does not say. */
const WORK_MS_MAX = 500;

/** Faults of one value that are named at most. */
const FAULTS_MAX = 20;

const REASON_LENGTH_MAX = 500;

/**
 * Output schemas are those that customers have already, so all of the draft may stand in them.
 * One that refers to itself can take for ever; time is no verdict about it.
 */
const SCHEMAS = new JsonSchemas({
  users: 'prompts',
  keywords: 'standard',
  formats: 'standard',
  patternCharsMax: 10_000,
  references: true,
  nodesMax: 20_000,
  charsMax: PROMPT_BOUNDS.jsonChars,
  workMsMax: WORK_MS_MAX,
  stopped: 'thrown',
});

/**
 * Compiles a JSON Schema of draft 2020-12. Unknown keywords and formats are refused.
 * @throws prompt_gate_unfinished past the limit of time
 */
export function compileOutputSchema(schema: JsonObject, checkMsMax = WORK_MS_MAX): CompiledSchema {
  const faults = finished('compiling the output schema', () =>
    SCHEMAS.schemaFaults('output_schema', schema),
  );
  if (faults.length > 0) {
    const reasons = faults.map(({ message }) => message.replace(/\.$/, ''));
    return { compiled: false, reason: reasons.join('; ').slice(0, REASON_LENGTH_MAX) };
  }
  return { compiled: true, faultsOf: (value) => faultsOf(schema, value, checkMsMax) };
}

function faultsOf(schema: JsonObject, value: unknown, checkMsMax: number): string[] {
  const faults = finished('checking a sample output', () =>
    SCHEMAS.valueFaults(schema, value, 'output', checkMsMax),
  );
  return faults.slice(0, FAULTS_MAX).map(({ message }) => message);
}

function finished<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    if (!(thrown instanceof WorkStopped)) throw thrown;
    return fail('prompt_gate_unfinished', { values: { what, limitMs: thrown.limitMs } });
  }
}
