import { pino } from 'pino';

/** One answered request, as the access log tells it. The code chooses the fields. */
export interface AccessLine {
  readonly operation: string;
  readonly requestId: string | undefined;
  readonly tenantId: string | undefined;
  /** The id of the caller's trace, 32 hexadecimal digits: all that a line has from the caller. */
  readonly traceId?: string | undefined;
  readonly status: number;
  /** The code of the catalogue; absent where nothing failed. */
  readonly code?: string | undefined;
  readonly elapsedMs: number;
}

/** The access log of the process: one JSON line a request, in the form of the other lines. */
export interface AccessLog {
  write(line: AccessLine): void;
  /** Writes out what is buffered. */
  flush(): void;
}

const STANDARD_OUTPUT = 1;
/** Below what a pipe takes in one piece (PIPE_BUF), so that no other line comes between. */
const GATHERED_LENGTH = 3_840;
const FLUSH_AFTER_MS = 250;
const SILENT: AccessLog = { write() {}, flush() {} };

/** There is one standard output, so the servers of a process share what is gathered for it. */
let shared: AccessLog | undefined;

/**
 * Opens the access log. Lines are gathered, since a system call for each costs more than the line;
 * they leave after a quarter of a second, and at the end of the process however it ends but by a
 * kill. Nothing is redacted here: the id of a trace is all that a caller can put into a line.
 */
export function createAccessLog(level: string): AccessLog {
  if (!pino({ level }).isLevelEnabled('info')) return SILENT;
  shared ??= openLog();
  return shared;
}

function openLog(): AccessLog {
  const output = pino.destination({ dest: STANDARD_OUTPUT, sync: true });
  let gathered = '';
  let timer: NodeJS.Timeout | undefined;
  const flush = () => {
    clearTimeout(timer);
    timer = undefined;
    if (gathered === '') return;
    const text = gathered;
    gathered = '';
    output.write(text);
  };
  process.on('exit', flush);
  return {
    write(line) {
      const text = `${lineText(line, new Date())}\n`;
      if (gathered.length + text.length > GATHERED_LENGTH) flush();
      gathered += text;
      timer ??= setTimeout(flush, FLUSH_AFTER_MS).unref();
    },
    flush,
  };
}

/** A line as the main log would write it. */
export function lineText(line: AccessLine, at: Date): string {
  const { operation, requestId, tenantId, traceId, status, code } = line;
  const caller = tenantId === undefined ? '' : `"tenantId":${JSON.stringify(tenantId)},`;
  const request = requestId === undefined ? '' : `"requestId":${JSON.stringify(requestId)},`;
  const trace = traceId === undefined ? '' : `"traceId":${JSON.stringify(traceId)},`;
  const failure = code === undefined ? '' : `"code":${JSON.stringify(code)},`;
  const elapsedMs = Math.round(line.elapsedMs * 10) / 10;
  return (
    `{"level":30,"time":"${at.toISOString()}","operation":${JSON.stringify(operation)},` +
    `${request}${caller}${trace}"status":${status},${failure}"elapsedMs":${elapsedMs}}`
  );
}
