import { createHmac } from 'node:crypto';
import type { Fault } from '../../kernel/errors/fail.js';
import { count, fits } from '../../kernel/errors/faults.js';
import type { Assignment } from './tables.js';
import { ASSIGNMENT_FORMULA, ASSIGNMENT_SALT, VARIANTS_MAX } from './vocabulary.js';

/** Names that need no escape anywhere, and that every language sorts alike. */
const NAME = /^[A-Za-z0-9._-]+$/;
const DIGEST_BITS = 256n;

/**
 * The variant of a subject. It follows from the published salt and formula alone, so it is the same
 * for ever and for everybody. Scaling the whole digest keeps the shares equal to within 2⁻²⁵⁰,
 * where a remainder of the division would favour the first variants.
 */
export function assignVariant({ experiment, subject, variants }: Assignment) {
  const sorted = [...variants].sort((one, other) => (one < other ? -1 : 1));
  const message = `${experiment}:${subject}`;
  const digest = createHmac('sha256', ASSIGNMENT_SALT).update(message, 'utf8').digest('hex');
  const bucket = Number((BigInt(`0x${digest}`) * BigInt(sorted.length)) >> DIGEST_BITS);
  return {
    variant: sorted[bucket] as string,
    bucket,
    variants: sorted,
    experiment,
    subject,
    salt: ASSIGNMENT_SALT,
    message,
    digest,
    formula: ASSIGNMENT_FORMULA,
  };
}

/** Names that could be read in two ways, and too few or repeated variants. */
export function assignmentFaults({ experiment, variants }: Assignment): Fault[] {
  const what = 'takes letters, digits, ".", "_" and "-" alone';
  const isOnce = new Set(variants).size === variants.length;
  return [
    ...fits('input.experiment', NAME.test(experiment), what),
    ...count('input.variants', variants, { min: 2, max: VARIANTS_MAX }, 'variants'),
    ...variants.flatMap((each, index) => fits(`input.variants.${index}`, NAME.test(each), what)),
    ...fits('input.variants', isOnce, 'names a variant twice'),
  ];
}
