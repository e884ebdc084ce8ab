import { pino } from 'pino';

/** One answered request, as the access log tells it. Every field is chosen by code. */
export interface AccessLine {
  readonly operation: string;
  readonly requestId: string | undefined;
  readonly tenantId: string | undefined;
  readonly status: number;
  readonly elapsedMs: number;
}

/** The access log of the process: one JSON line a request, in the form of the other lines. */
export interface AccessLog {
  write(line: AccessLine): void;
  /** Writes out what is buffered. */
  flush(): void;
}

const STANDARD_OUTPUT = 1;
/** A write of this many bytes into a pipe is never mixed with that of another writer (PIPE_BUF). */
const WRITE_BYTES_MAX = 4_096;
const BUFFERED_BYTES = 3_072;
const FLUSH_EVERY_MS = 250;
const SILENT: AccessLog = { write() {}, flush() {} };

/**
 * Opens the access log. Lines are gathered, since a system call for each costs more than the line;
 * they leave every quarter of a second, and at the end of the process however it ends but by a
 * kill. Nothing is redacted here: a line has no field that a caller could fill.
 */
export function createAccessLog(level: string): AccessLog {
  if (!pino({ level }).isLevelEnabled('info')) return SILENT;
  const output = pino.destination({
    dest: STANDARD_OUTPUT,
    sync: false,
    minLength: BUFFERED_BYTES,
    maxWrite: WRITE_BYTES_MAX,
    periodicFlush: FLUSH_EVERY_MS,
  });
  return {
    write: (line) => void output.write(`${lineText(line, new Date())}\n`),
    flush: () => output.flushSync(),
  };
}

/** A line as the main log would write it. */
export function lineText(line: AccessLine, at: Date): string {
  const { operation, requestId, tenantId, status } = line;
  const caller = tenantId === undefined ? '' : `"tenantId":${JSON.stringify(tenantId)},`;
  const request = requestId === undefined ? '' : `"requestId":${JSON.stringify(requestId)},`;
  const elapsedMs = Math.round(line.elapsedMs * 10) / 10;
  return (
    `{"level":30,"time":"${at.toISOString()}","operation":${JSON.stringify(operation)},` +
    `${request}${caller}"status":${status},"elapsedMs":${elapsedMs}}`
  );
}
