import { createContext, Script } from 'node:vm';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { RE2JS } from 're2js';
import { fail, GatewayError } from '../../../kernel/errors/fail.js';
import type { JsonObject } from '../../../kernel/json.js';

/** An output schema, compiled, or why it cannot be. Checking may throw as compiling does. */
export type CompiledSchema =
  | { readonly compiled: true; readonly faultsOf: (value: unknown) => readonly string[] }
  | { readonly compiled: false; readonly reason: string };

/** Milliseconds that compiling may take, and checking one value where the caller does not say. */
const WORK_MS_MAX = 500;

/** Faults of one value that are named at most. */
const FAULTS_MAX = 20;

/**
 * Patterns of customers run in linear time whatever they say (RE2); a pattern that such an engine
 * cannot run, as one with a look-around, makes the schema not compile.
 */
const LINEAR_TIME = Object.assign(
  (pattern: string) => {
    const compiled = RE2JS.compile(pattern);
    // The compiler tells expressions apart by their text.
    return { test: (text: string) => compiled.matcher(text).find(), toString: () => pattern };
  },
  { code: 'linearTime' },
);

/**
 * Compiles a JSON Schema of draft 2020-12. Unknown keywords and formats are refused, and nothing
 * is fetched. Schemas that refer to themselves can still take long, so work is limited.
 * @throws prompt_gate_unfinished past the limit: time is no verdict about a schema
 */
export function compileOutputSchema(schema: JsonObject, checkMsMax = WORK_MS_MAX): CompiledSchema {
  const ajv = new Ajv2020({
    strictSchema: true,
    strictNumbers: true,
    strictTypes: false,
    strictTuples: false,
    strictRequired: false,
    allErrors: true,
    logger: false,
    code: { regExp: LINEAR_TIME },
  });
  // The type of the module's default export differs between module systems.
  (addFormats as unknown as (target: Ajv2020) => void)(ajv);
  try {
    const validate = withinTime('compiling the output schema', WORK_MS_MAX, () =>
      ajv.compile(schema),
    );
    return { compiled: true, faultsOf: (value) => faultsOf(validate, value, checkMsMax) };
  } catch (thrown) {
    if (thrown instanceof GatewayError) throw thrown;
    return { compiled: false, reason: (thrown as Error).message.slice(0, 500) };
  }
}

function faultsOf(validate: ValidateFunction, value: unknown, checkMsMax: number): string[] {
  if (withinTime('checking a sample output', checkMsMax, () => validate(value))) return [];
  const errors = (validate.errors ?? []).slice(0, FAULTS_MAX);
  return errors.map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}

const CALL = new Script('work()');
const ROOM = createContext({ work: (): unknown => undefined });

/** Runs work that is stopped after a time, also inside a regular expression. */
function withinTime<T>(what: string, limitMs: number, work: () => T): T {
  ROOM.work = work;
  try {
    return CALL.runInContext(ROOM, { timeout: limitMs }) as T;
  } catch (thrown) {
    if ((thrown as { code?: string }).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw thrown;
    return fail('prompt_gate_unfinished', { values: { what, limitMs } });
  }
}
