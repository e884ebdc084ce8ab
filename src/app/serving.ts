import type { Logger } from 'pino';

/** What serves, in this process or in its workers. */
export interface Serving {
  readonly url: string;
  readonly log: Logger;
  /** @throws Error where not all of it has ended well */
  stop(): Promise<void>;
}
