import { FAULTS_MAX, type Fault } from '../src/kernel/errors/fail.js';
import { isNear, nearestName } from './wire-names.js';

/** A field that nobody reads. */
export interface Unread {
  readonly path: string;
  /** The known name that it is near to. */
  readonly nearest: string | undefined;
  /** True where it is so near, and that name not given, that nothing else can have been meant. */
  readonly isSlip: boolean;
  /** True for a query parameter where every unknown one is a fault. */
  readonly isRefused?: boolean;
}

/** What a coercion finds beside the value: faults, and the fields that nobody reads. */
export interface Findings {
  readonly faults: Fault[];
  readonly unread: Unread[];
  /**
   * Where a member was written, by its published place, if that was under an alias or, for an item
   * of a list, in an object by its key.
   */
  written?: Map<string, string>;
}

/** Notes where a member was written, so that later faults of it are named there. */
export function noteWritten(findings: Findings, published: string, at: string): void {
  findings.written ??= new Map();
  findings.written.set(published, at);
}

/** Notes that a required field is missing, and which unread field may have been meant for it. */
export function addMissing(path: string, findings: Findings): void {
  const name = path.slice(path.lastIndexOf('.') + 1);
  const meant = findings.unread.find(({ nearest }) => nearest === name);
  const hint = meant ? ` Did you mean it by ${quoted(meant.path)}?` : '';
  addFault(findings, path, 'missing', `${quoted(path)} is required.${hint}`);
}

/** Notes a fault. Returns undefined, so that a coercion can end with it. */
export function addFault(
  findings: Findings,
  path: string,
  code: Fault['code'],
  message: string,
): undefined {
  if (findings.faults.length < FAULTS_MAX) findings.faults.push({ path, code, message });
  return undefined;
}

/** Notes that one thing is said twice, under two names. */
export function addTwice(findings: Findings, path: string, before: string): void {
  const message = `${quoted(path)} and ${quoted(before)} are one field; give it once.`;
  addFault(findings, path, 'invalid', message);
}

/**
 * Notes a field that nobody reads, and the field that it was perhaps meant for.
 * @param names the wire names that would have been read
 * @param isGiven whether one of them was
 */
export function addUnread(
  findings: Findings,
  path: string,
  name: string,
  names: readonly string[],
  isGiven: (name: string) => boolean,
): void {
  const count = findings.unread.length;
  if (count >= UNREAD_MAX) return;
  const nearest = count < GUESSES_MAX ? nearestName(name, names) : undefined;
  const isSlip = nearest !== undefined && !isGiven(nearest) && isNear(name, nearest);
  findings.unread.push({ path, nearest, isSlip });
}

/**
 * Makes a fault of each unread field that is a slip for another one, and where
 * something is controlled of every unread field: a limit that is silently missing is worse than
 * an error.
 */
export function refuseUnread(findings: Findings, control: boolean): void {
  for (const { path, nearest, isSlip, isRefused } of findings.unread) {
    if (isRefused) continue;
    const told = isSlip && isMissing(findings, siblingOf(path, nearest ?? ''));
    if (!control && (!isSlip || told)) continue;
    const hint = nearest === undefined ? '' : ` Did you mean \`${nearest}\`?`;
    addFault(findings, path, 'invalid', `\`${path}\` is not a field of this operation.${hint}`);
  }
}

function isMissing({ faults }: Findings, path: string): boolean {
  return faults.some((fault) => fault.path === path && fault.code === 'missing');
}

function siblingOf(path: string, name: string): string {
  return path.slice(0, path.lastIndexOf('.') + 1) + name;
}

/** A body of fields that nobody reads must not make an answer, or work, many times its size. */
export const UNREAD_MAX = 200;
const GUESSES_MAX = 20;

/** The path of a member. */
export function join(path: string, key: string): string {
  return path === '' ? key : `${path}.${key}`;
}

/** A path as messages show it. */
export function quoted(path: string): string {
  return path === '' ? 'The body' : `\`${path}\``;
}
