/** What Redis says to a login that it does not let in: password, right, number of the database. */
const NOT_LET_IN = /^(?:WRONGPASS|NOAUTH|NOPERM|ERR (?:AUTH|DB index|invalid DB|Client sent AUTH))/;

/** Why Redis refuses the login of this node, in one line; undefined where it does not. */
export function redisRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const [said] = NOT_LET_IN.exec(error.message) ?? [];
  return said && `the Redis of REDIS_URL refuses its login (${said}); correct REDIS_URL`;
}
