import { inspectRequestApart } from '../../inference/firewall/apart/apart.js';
import { isHeavy } from '../../inference/firewall/apart/weight.js';
import { beginningOf, MASK_EVERYTHING } from '../../inference/firewall/cut.js';
import { inspectRequest } from '../../inference/firewall/inspect.js';
import type { Sealable } from '../../kernel/canonical.js';
import type { KeptStep } from './run-tables.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** Levels of a value that is kept; deeper ones are written as text. */
const LEVELS_MAX = 16;

/**
 * A value as a record may hold it for ever: every finding of the firewall is replaced by a
 * placeholder whose value is forgotten, and what canonical JSON or the database cannot carry is
 * written so that they can. A long value is read without holding the event loop.
 * @param owner the organization that waits for it
 * @throws firewall_scan_too_long
 */
export async function storable(value: unknown, owner: string): Promise<Sealable> {
  const body = { kept: carried(value, 0) };
  const inspection = isHeavy(body, MASK_EVERYTHING)
    ? await inspectRequestApart(body, MASK_EVERYTHING, undefined, { owner })
    : inspectRequest(body, MASK_EVERYTHING);
  return inspection.body.kept;
}

function carried(value: unknown, level: number): Sealable {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  if (typeof value === 'string') return carriedText(value);
  if (typeof value === 'number') {
    const isExact = Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
    return isExact ? value : String(value);
  }
  if (level >= LEVELS_MAX) return carriedText(JSON.stringify(value) ?? '');
  if (Array.isArray(value)) return value.map((item) => carried(item, level + 1));
  if (typeof value !== 'object') return String(value);
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [carriedText(name), carried(member, level + 1)]),
  );
}

/** U+0000 and halves of surrogate pairs become U+FFFD. */
function carriedText(text: string): string {
  return text.replace(/\p{Surrogate}|\0/gu, '\uFFFD');
}

/** Everything that is recorded of a step, as it came out. */
export type StepRecord = Omit<KeptStep, 'fallback' | 'outputTruncated'>;

/** True where another model than the primary one served, or had to be asked. */
function fellBack({ attempts, routing }: StepRecord): boolean {
  return attempts.length > 1 || (routing !== null && routing.model !== routing.requestedModel);
}

/** The first kilobytes of the JSON of an output that is too long to be kept whole. */
const CUT_CHARS = BLUEPRINT_BOUNDS.outputBytesMax / 2;

/** A step as it is kept: personal data replaced, output bounded. */
export async function keptStep(step: StepRecord, owner: string): Promise<KeptStep> {
  const output = await storable(step.output, owner);
  const outputText = JSON.stringify(output);
  const outputTruncated = Buffer.byteLength(outputText) > BLUEPRINT_BOUNDS.outputBytesMax;
  return {
    ...step,
    reason: step.reason === null ? null : String(await storable(step.reason, owner)),
    fallback: fellBack(step),
    output: outputTruncated ? beginningOf(outputText, CUT_CHARS) : output,
    outputTruncated,
  };
}
