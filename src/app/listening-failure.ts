import { type Config, ConfigError } from '../platform/config.js';

type At = Pick<Config, 'PORT' | 'HOST'>;

/** Why a port cannot be had and what helps, by the code of the failure. */
const REASONS: Readonly<Record<string, (at: At) => string>> = {
  EADDRINUSE: ({ PORT }) => `port ${PORT} is in use by another process; end it, or set PORT`,
  EACCES: ({ PORT }) => `port ${PORT} is not open to this user; set PORT to 1024 or more`,
  EADDRNOTAVAIL: ({ HOST }) => `HOST is ${HOST}, which is no address of this machine; correct it`,
  ENOTFOUND: ({ HOST }) => `HOST is ${HOST}, which is no name of this machine; correct it`,
};

/** A failure to listen in one line; undefined for one that has another reason. */
export function listeningFailure({ code = '' }: NodeJS.ErrnoException, at: At) {
  const reason = REASONS[code];
  return reason && new ConfigError(reason(at));
}
