import type { KeptStep } from './run-tables.js';
import { storable } from './storable.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Everything that is recorded of a step, as it came out. */
export type StepRecord = Omit<KeptStep, 'fallback' | 'outputTruncated'>;

/** True where another model than the primary one served, or had to be asked. */
function fellBack({ attempts, routing }: StepRecord): boolean {
  return attempts.length > 1 || (routing !== null && routing.model !== routing.requestedModel);
}

/** A step as it is kept: personal data replaced, output bounded. */
export function keptStep(step: StepRecord): KeptStep {
  const output = storable(step.output);
  const outputText = JSON.stringify(output);
  const outputTruncated = Buffer.byteLength(outputText) > BLUEPRINT_BOUNDS.outputBytesMax;
  return {
    ...step,
    reason: step.reason === null ? null : String(storable(step.reason)),
    fallback: fellBack(step),
    output: outputTruncated ? cutText(outputText) : output,
    outputTruncated,
  };
}

/** The first kilobytes of the JSON of an output that is too long to be kept whole. */
function cutText(text: string): string {
  return text.slice(0, BLUEPRINT_BOUNDS.outputBytesMax / 2).replace(/[\ud800-\udbff]$/, '');
}
