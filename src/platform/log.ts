import { type DestinationStream, type Logger, pino } from 'pino';
import { loggableError } from './loggable-error.js';

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

/**
 * The log of the process: one JSON line an event. Prompts and answers are never handed to it, and
 * errors lose what they quote.
 */
export function createLog(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggableError, error: loggableError },
    redact: {
      paths: REDACTED.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]),
      censor: '[redacted]',
    },
  };
  return destination ? pino(options, destination) : pino(options);
}
