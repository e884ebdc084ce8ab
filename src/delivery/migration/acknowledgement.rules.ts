import type { Fault } from '../../kernel/errors/fail.js';
import { CONDITIONS } from './compare.rules.js';
import { BOUNDS } from './vocabulary.js';

/** A condition of a comparison that the caller accepts, as a cutover is asked for with it. */
export interface AcknowledgementWish {
  /** The rule of the comparison. */
  readonly code: string;
  /** Why it is acceptable. */
  readonly reason: string;
}

/** A condition that a member has accepted, as it is sealed. */
export type Acknowledgement = {
  readonly code: string;
  readonly reason: string;
  /** The member; a key acknowledges nothing. */
  readonly member_id: string;
};

/** Half a surrogate pair cannot be sealed. */
const HALF_A_PAIR = /\p{Surrogate}/u;

/** Every fault of acknowledgements, by the names of the REST body. */
export function acknowledgementFaults(wishes: readonly AcknowledgementWish[]): Fault[] {
  const { acknowledgementsMax, textLengthMax } = BOUNDS;
  if (wishes.length > acknowledgementsMax) {
    const message = `acknowledgements must be at most ${acknowledgementsMax}.`;
    return [{ path: 'acknowledgements', code: 'out_of_range', message }];
  }
  return wishes.flatMap(({ code, reason }, index): Fault[] => {
    const path = `acknowledgements.${index}`;
    const isKnown = CONDITIONS.includes(code);
    const isFirst = wishes.findIndex((other) => other.code === code) === index;
    const told = reason.trim();
    const fits = told !== '' && reason.length <= textLengthMax && !HALF_A_PAIR.test(reason);
    return [
      ...(isKnown
        ? []
        : [fault(`${path}.code`, 'unknown_value', `must be one of ${CONDITIONS.join(', ')}`)]),
      ...(isFirst ? [] : [fault(`${path}.code`, 'invalid', 'must be named once')]),
      ...(fits
        ? []
        : [fault(`${path}.reason`, 'out_of_range', `must have 1 to ${textLengthMax} characters`)]),
    ];
  });
}

function fault(path: string, code: Fault['code'], what: string): Fault {
  return { path, code, message: `${path} ${what}.` };
}

/** What is kept of acknowledgements: those of conditions that there really are. */
export function acknowledgementsOf(
  wishes: readonly AcknowledgementWish[],
  conditions: readonly string[],
  memberId: string,
): Acknowledgement[] {
  return wishes
    .filter(({ code }) => conditions.includes(code))
    .map(({ code, reason }) => ({ code, reason, member_id: memberId }));
}
