/**
 * The secrets that a message is signed with, each by a signature of its own: first the one that
 * its receiver is shown today, then those that it may have been shown under former secrets of the
 * server.
 */
export type Secrets = readonly [string, ...string[]];

/** Keys as secrets of Standard Webhooks. @throws TypeError without any */
export function whsec(keys: readonly Buffer[]): Secrets {
  const [first, ...others] = keys.map((key) => `whsec_${key.toString('base64')}`);
  if (first === undefined) throw new TypeError('a message is signed by one secret at least');
  return [first, ...others];
}
