/** The trace that a caller has put a request into. */
export interface Trace {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the call of the caller that this request is. */
  readonly parentId?: string | undefined;
  /** True where the caller records it. */
  readonly sampled: boolean;
  /** What tracing systems of the caller say to one another; passed on as it came. */
  readonly state?: string | undefined;
}

/** A header as Node has it. */
type Header = string | readonly string[] | undefined;

const SHAPE = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const ZEROS = /^0+$/;

/**
 * The trace that the headers `traceparent` and `tracestate` name (W3C Trace Context, 3.2 and 3.3).
 * A `traceparent` that is not valid names none, and the request goes on without; a later version is
 * read as far as version 00 goes. A `tracestate` that is not valid is left out.
 */
export function traceOf(traceparent: Header, tracestate: Header): Trace | undefined {
  if (typeof traceparent !== 'string') return undefined;
  const found = SHAPE.exec(traceparent);
  if (!found) return undefined;
  const [, version = '', traceId = '', parentId = '', flags = '', more] = found;
  if (version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (ZEROS.test(traceId) || ZEROS.test(parentId)) return undefined;
  const sampled = (Number.parseInt(flags, 16) & 1) === 1;
  const state = tracestate === undefined ? undefined : stateOf(tracestate);
  return { traceId, parentId, sampled, ...(state === undefined ? {} : { state }) };
}

const STATE_KEY = /^[a-z0-9][a-z0-9_\-*/@]{0,255}$/;
const STATE_VALUE = /^[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const STATE_MEMBERS_MAX = 32;
/** So much is always carried on; of more, members this long go first, then the last ones. */
const STATE_LENGTH = 512;
const LONG_MEMBER = 128;
/** Nothing that is longer is looked at. */
const STATE_LENGTH_MAX = 16_384;

/** A `tracestate` as it is carried on: as it came, where it is valid and not too long. */
function stateOf(header: string | readonly string[]): string | undefined {
  const text = typeof header === 'string' ? header : header.join(',');
  if (text.length > STATE_LENGTH_MAX) return undefined;
  const members = text
    .split(',')
    .map((member) => member.replace(/^[ \t]+|[ \t]+$/g, ''))
    .filter((member) => member !== '');
  if (members.length === 0 || members.length > STATE_MEMBERS_MAX) return undefined;
  const keys = new Set<string>();
  for (const member of members) {
    const split = member.indexOf('=');
    const key = member.slice(0, Math.max(split, 0));
    if (!STATE_KEY.test(key) || !STATE_VALUE.test(member.slice(split + 1))) return undefined;
    keys.add(key);
  }
  if (keys.size < members.length) return undefined;
  return text.length <= STATE_LENGTH ? text : shortened(members);
}

/** Whole members alone are left out (3.3.1.5), the longest kind first. */
function shortened(members: readonly string[]): string | undefined {
  const kept = [...members];
  const lengthOf = () => kept.join(',').length;
  for (let place = kept.length - 1; place >= 0 && lengthOf() > STATE_LENGTH; place -= 1) {
    if ((kept[place]?.length ?? 0) > LONG_MEMBER) kept.splice(place, 1);
  }
  while (lengthOf() > STATE_LENGTH) kept.pop();
  return kept.length === 0 ? undefined : kept.join(',');
}

/**
 * The header that carries a trace on.
 * @param parentId 16 hexadecimal digits, not all zero: the call that is made now
 */
export function traceparent(
  { traceId, sampled }: Pick<Trace, 'traceId' | 'sampled'>,
  parentId: string,
): string {
  return `00-${traceId}-${parentId}-${sampled ? '01' : '00'}`;
}

/** The member of `usage_event.metadata` that holds the trace of a request, by `keptTrace`. */
export const TRACE_MEMBER = 'gw_trace';

/** A trace in short, for what a request causes later. */
export function keptTrace({ traceId, sampled }: Trace): string {
  return `${traceId}-${sampled ? '01' : '00'}`;
}

/** The same with the span that causes it, where one is known. */
export function keptCause(trace: Trace): string {
  return trace.parentId === undefined ? keptTrace(trace) : `${keptTrace(trace)}-${trace.parentId}`;
}

const KEPT = /^([0-9a-f]{32})-([0-9a-f]{2})(?:-([0-9a-f]{16}))?$/;

/**
 * The trace that was kept, or one that begins with this UUID where none was.
 * @param recorded whether a trace that begins here is recorded
 */
export function traceKept(kept: string | null, id: string, recorded = false): Trace {
  const [, traceId, flags, parentId] = KEPT.exec(kept ?? '') ?? [];
  if (traceId === undefined) return { traceId: id.replaceAll('-', ''), sampled: recorded };
  return { traceId, sampled: flags === '01', ...(parentId === undefined ? {} : { parentId }) };
}
