import { hash, verify } from '@node-rs/argon2';
import type { Ctx } from '../../graph/ctx.js';
import { GatewayError } from '../../kernel/errors/fail.js';
import { limitedAddress } from '../../platform/network/client-address.js';
import { FairQueue } from './fair-queue.js';

/** OWASP's argon2id setting for one lane: about 16 ms of one core. */
const SETTINGS = { memoryCost: 47_104, timeCost: 1, parallelism: 1 };

/** Half a second of hashing on a core that does nothing else. */
const BOUNDS = { atOnceMax: 2, waitingMax: 64 };
const RETRY_AFTER_MS = 2_000;

/** Hashing is heavy, so that only two run at a time whatever arrives; addresses take turns. */
const queue = new FairQueue(BOUNDS);

function inTurn<T>(ctx: Ctx, work: () => Promise<T>): Promise<T> {
  // The queue has a bound and shares of its own.
  ctx.transport.idles?.();
  const refusal = () => new GatewayError('overloaded', { retryAfterMs: RETRY_AFTER_MS });
  return queue.run(limitedAddress(ctx.transport.address), work, refusal);
}

/** What waits to be hashed in this process, and what was refused since its start. */
export function passwordQueue(): Pick<FairQueue, 'size' | 'refused'> {
  return queue;
}

/**
 * The argon2id hash of a password, with its own salt and parameters inside.
 * @throws overloaded, where too many wait and this address has its share
 */
export function hashPassword(ctx: Ctx, password: string): Promise<string> {
  return inTurn(ctx, () => hash(password, SETTINGS));
}

const dummy = hash('the password of nobody', SETTINGS);

/**
 * True when the password fits the hash. Without a hash (unknown user) the same work is done and
 * the answer is false, so that the time tells nothing.
 * @throws overloaded, as `hashPassword` does
 */
export async function passwordFits(
  ctx: Ctx,
  stored: string | undefined,
  password: string,
): Promise<boolean> {
  const reference = stored ?? (await dummy);
  const fits = await inTurn(ctx, () => verify(reference, password));
  return fits && stored !== undefined;
}
