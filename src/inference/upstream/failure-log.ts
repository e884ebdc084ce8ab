import type { Logger } from 'pino';
import type { Deployment } from '../../catalog/providers/model.js';
import type { AttemptFailure } from './attempt-failure.js';

/** The same failure of the same deployment is written again after this time. */
const AGAIN_MS = 60_000;

/**
 * Names in the log why a provider could not be reached. Only what sockets and logins say is
 * written: what a provider answers may repeat a customer's text.
 */
export class FailureLog {
  readonly #writtenAt = new Map<string, number>();

  constructor(
    private readonly log: Pick<Logger, 'warn'>,
    private readonly nowMs: () => number = () => performance.now(),
  ) {}

  failed({ key, providerId, origin }: Deployment, { error, code, message }: AttemptFailure): void {
    if (!code) return;
    const name = [key, error, code].join(' ');
    const now = this.nowMs();
    if (now - (this.#writtenAt.get(name) ?? Number.NEGATIVE_INFINITY) < AGAIN_MS) return;
    this.#writtenAt.set(name, now);
    const facts = { deployment: key, provider: providerId, origin, error, cause: code };
    this.log.warn(facts, `a call of a provider failed: ${message}`);
  }
}
