import type { Ctx } from '../src/graph/ctx.js';
import type { Answer } from './reply.js';

/** An answer as it is kept for replay. */
export type StoredAnswer = Answer & { readonly body: Buffer };

/** The row that a key is used on; one key names one request of one operation. */
export interface KeyedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
}

/** What `begin` decides. `run` carries whatever `finish` needs to find the record again. */
export type IdempotencyStart =
  | { readonly kind: 'run'; readonly token: unknown }
  | { readonly kind: 'replay'; readonly answer: StoredAnswer };

/**
 * Keeps the answers of keyed requests. The transport calls `begin` after authentication and
 * binding, so that a misspelt request does not use up its key.
 */
export interface Idempotency {
  /**
   * @param bodyHash sha256 over method, path with query, and the body's bytes, in hexadecimal
   * @throws GatewayError `idempotency_key_reused` for another hash under the same key,
   * `idempotency_in_progress` while the first request runs
   */
  begin(
    ctx: Ctx,
    operation: KeyedOperation,
    key: string,
    bodyHash: string,
  ): Promise<IdempotencyStart>;
  /** Keeps a successful answer; called before the answer goes to the client. */
  finish(ctx: Ctx, token: unknown, answer: StoredAnswer): Promise<void>;
  /** Frees the key after a failure or a cut stream, so that a repeated request runs. */
  abandon(ctx: Ctx, token: unknown): Promise<void>;
}
