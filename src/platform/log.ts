import { type Logger, pino } from 'pino';

/** Names under which secrets could come into a log line; their values are replaced. */
const REDACTED = [
  'authorization',
  'password',
  'token',
  'accessToken',
  'refreshToken',
  'key',
  'apiKey',
  'secret',
  'cookie',
];

/** The log of the process: one JSON line an event. Prompts and answers are never handed to it. */
export function createLog(level: string): Logger {
  return pino({
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
  });
}
