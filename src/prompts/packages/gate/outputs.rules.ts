import type { PromptContent } from '../vocabulary.js';
import { ended, unlessFound } from './check.js';
import { compileOutputSchema } from './output-schema.js';
import type { GateCheck } from './tables.js';

/** What the checks of the output schema found. */
export interface OutputFindings {
  readonly checks: readonly GateCheck[];
  /** The schema compiles and no sample output is against it; null without a schema. */
  readonly schemaValid: boolean | null;
}

/**
 * The checks of the output schema and the sample outputs: the version's own, which come first and
 * are always judged, and those that a run adds.
 */
export function checkOutputs(
  { outputSchema, samples }: PromptContent,
  ownCount = samples.outputs.length,
): OutputFindings {
  if (outputSchema === null) {
    const none = 'The version has no output_schema.';
    return {
      checks: [
        ended('output_schema_compiles', 'not_measured', none),
        ended('sample_outputs_valid', 'not_measured', none),
      ],
      schemaValid: null,
    };
  }
  const schema = compileOutputSchema(outputSchema);
  if (!schema.compiled) {
    const message = `The output schema does not compile: ${schema.reason}.`;
    return {
      checks: [
        ended('output_schema_compiles', 'fail', message),
        ended('sample_outputs_valid', 'not_measured', 'The output schema must compile first.'),
      ],
      schemaValid: false,
    };
  }
  const compiles = ended('output_schema_compiles', 'pass', 'The output schema compiles.');
  if (samples.outputs.length === 0) {
    const message = 'No sample output is stated; sample_outputs would lift this.';
    const valid = ended('sample_outputs_valid', 'not_measured', message);
    return { checks: [compiles, valid], schemaValid: true };
  }
  const faults = samples.outputs.flatMap((output, index) => {
    const messages = schema.faultsOf(output);
    const place =
      index < ownCount ? { source: 'version', index } : { source: 'run', index: index - ownCount };
    return messages.length === 0 ? [] : [{ ...place, faults: [...messages] }];
  });
  const valid = unlessFound('sample_outputs_valid', faults, 'fail', {
    none: `All ${samples.outputs.length} sample outputs are valid; they are stated, not recorded.`,
    some: `${faults.length} of ${samples.outputs.length} sample outputs are against the schema.`,
  });
  return { checks: [compiles, valid], schemaValid: faults.length === 0 };
}
