import { hash, verify } from '@node-rs/argon2';

/** OWASP's argon2id setting for one lane: about 16 ms of one core. */
const SETTINGS = { memoryCost: 47_104, timeCost: 1, parallelism: 1 };
const AT_ONCE_MAX = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Hashing is heavy, so that only two run at a time whatever arrives. */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (running >= AT_ONCE_MAX) await new Promise<void>((resolve) => waiting.push(resolve));
  running += 1;
  try {
    return await work();
  } finally {
    running -= 1;
    waiting.shift()?.();
  }
}

/** The argon2id hash of a password, with its own salt and parameters inside. */
export function hashPassword(password: string): Promise<string> {
  return inTurn(() => hash(password, SETTINGS));
}

const dummy = hashPassword('the password of nobody');

/**
 * True when the password fits the hash. Without a hash (unknown user) the same work is done and
 * the answer is false, so that the time tells nothing.
 */
export async function passwordFits(stored: string | undefined, password: string): Promise<boolean> {
  const reference = stored ?? (await dummy);
  const fits = await inTurn(() => verify(reference, password));
  return fits && stored !== undefined;
}
