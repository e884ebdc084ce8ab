/** How far down causes are followed. */
const CAUSES_MAX = 4;

/** What of an error of a driver says where it comes from, and nothing of a row. */
const PLAIN_MEMBERS = ['code', 'status', 'severity', 'table', 'column', 'constraint', 'routine'];

/** Text between quotes of any kind, which errors quote of what they were given. */
const QUOTED = /"[^"]*"?|'[^']*'|`[^`]*`|«[^»]*»/g;

/** An error as a line of the log holds it. */
interface LoggableError {
  readonly type: string;
  readonly message: string;
  readonly stack?: string;
  readonly cause?: LoggableError;
  readonly [member: string]: unknown;
}

/**
 * An error without what it may quote of a prompt or an answer. Messages of parsers, of validators
 * and of the database repeat the text that was wrong, in quotes or at length, and details of the
 * database whole rows; kept are the kind of the error, its code, where it arose and the words about
 * it that stand outside of quotes.
 */
export function loggableError(error: unknown, level = 0): LoggableError {
  if (!(error instanceof Error)) return { type: typeof error, message: '' };
  const members = error as Error & Readonly<Record<string, unknown>>;
  const known = PLAIN_MEMBERS.filter((name) => isPlain(members[name]));
  const { cause } = error;
  return {
    type: error.name,
    message: plainMessage(error),
    ...Object.fromEntries(known.map((name) => [name, members[name]])),
    ...stateOf(error),
    ...framesOf(error),
    ...(cause instanceof Error && level < CAUSES_MAX
      ? { cause: loggableError(cause, level + 1) }
      : {}),
  };
}

/** The same without its frames: of a service that is away nothing in the code is at fault. */
export function briefError(error: unknown): Omit<LoggableError, 'stack' | 'cause'> {
  const { stack: _stack, cause: _cause, ...brief } = loggableError(error);
  return brief;
}

/** A code or a name; anything longer may be text. */
function isPlain(value: unknown): boolean {
  return typeof value === 'number' || (typeof value === 'string' && /^[\w.-]{1,64}$/.test(value));
}

function plainMessage({ name, message }: Error): string {
  if (name === 'SyntaxError') return /at position \d+/.exec(message)?.[0] ?? 'wrong syntax';
  // What validators and Prisma say in many lines shows the value; the last line says the reason.
  const lines = message.split('\n').filter((line) => line.trim() !== '');
  const said = name.startsWith('Prisma') ? (lines.at(-1) ?? '') : (lines[0] ?? '');
  return said.replace(QUOTED, '"…"').slice(0, MESSAGE_LENGTH_MAX);
}

/** The state by which PostgreSQL names a failure, which Prisma tells between quotes. */
function stateOf({ message }: Error): { readonly sqlState?: string } {
  const sqlState = /Code: `([0-9A-Z]{5})`/.exec(message)?.[1];
  return sqlState === undefined ? {} : { sqlState };
}

const MESSAGE_LENGTH_MAX = 500;

/** The frames of a stack, without the message that stands before them. */
function framesOf({ stack = '' }: Error): { readonly stack?: string } {
  const frames = stack.split('\n').filter((line) => /^ {4}at /.test(line));
  return frames.length > 0 ? { stack: frames.join('\n') } : {};
}
