import { nearestNames } from '../src/kernel/near-names.js';
import { addFault, type Findings, UNREAD_MAX } from './findings.js';
import type { QueryParameters } from './query-text.js';
import { nearestName } from './wire-names.js';

/**
 * Refuses a query parameter that nobody reads, where a filter that is silently missing would make
 * another answer than was asked for.
 * @param names the parameters that would have been read
 */
export function refuseParameter(findings: Findings, name: string, names: readonly string[]): void {
  if (findings.unread.length >= UNREAD_MAX) return;
  const near = nearTo(name, names);
  findings.unread.push({ path: name, nearest: near[0], isSlip: false, isRefused: true });
  const cure =
    near.length > 0
      ? ` Did you mean ${near.map((each) => `\`${each}\``).join(' or ')}?`
      : knownNames(names);
  const shown = name.slice(0, NAME_LENGTH_MAX);
  const message = `\`${shown}\` is not a query parameter of this operation.`;
  addFault(findings, name, 'invalid', `${message}${cure}`);
}

/** A slip of the finger first, then what is near in other ways. */
function nearTo(name: string, names: readonly string[]): readonly string[] {
  const slip = nearestName(name, names);
  return [...new Set([...(slip === undefined ? [] : [slip]), ...nearestNames(name, names)])];
}

function knownNames(names: readonly string[]): string {
  if (names.length === 0) return ' It takes none.';
  return ` It takes ${names.map((each) => `\`${each}\``).join(', ')}.`;
}

const NAME_LENGTH_MAX = 64;

/** Notes that a query parameter of one value stands more than once. */
export function addRepeated(findings: Findings, name: string): void {
  const message = `\`${name}\` stands more than once in the query; give it once.`;
  addFault(findings, name, 'invalid', message);
}

/** A form of the answer that the path does not have must not pass for another one. */
export function refuseUnknownChoice(
  name: string,
  values: readonly string[],
  query: QueryParameters,
  findings: Findings,
): void {
  const given = query[name];
  if (given === undefined || (typeof given === 'string' && values.includes(given))) return;
  if (typeof given !== 'string') {
    addRepeated(findings, name);
    return;
  }
  const near = nearestName(given, values);
  const hint = near === undefined ? '' : ` Did you mean ${near}?`;
  const message = `\`${name}\` must be one of ${values.join(', ')}.${hint}`;
  addFault(findings, name, 'unknown_value', message);
}
