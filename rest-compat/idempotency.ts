import type { Ctx } from '../src/graph/ctx.js';
import type { Answer } from './reply.js';

/** An answer as it is kept for replay. */
export type StoredAnswer = Answer & { readonly body: Buffer };

/** The row that a key is used on; one key names one request of one operation. */
export interface KeyedOperation {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly kind: 'query' | 'mutation' | 'subscription';
  /** The root fields that it asks for, which say what it does. */
  readonly fields: readonly string[];
}

/**
 * What `begin` decides. `run` carries whatever `finish` needs to find the record again, and the
 * request as it is to be run under its key; without it, it is run as it came.
 */
export type IdempotencyStart =
  | { readonly kind: 'run'; readonly token: unknown; readonly ctx?: Ctx }
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
  /**
   * Makes an answer and keeps it, in one step where the operation is one transaction. Without it
   * the answer is made, and then `finish` keeps it.
   * @throws whatever `make` throws; the key is then in order again, and `abandon` changes nothing
   */
  once?(ctx: Ctx, token: unknown, make: (ctx: Ctx) => Promise<StoredAnswer>): Promise<StoredAnswer>;
  /**
   * Keeps a successful answer; called before the answer goes to the client. That it could not be
   * kept is no reason to refuse it, so this does not throw.
   */
  finish(ctx: Ctx, token: unknown, answer: StoredAnswer): Promise<void>;
  /** After a failure or a cut stream: a repeated request runs, as the same effect. */
  abandon(ctx: Ctx, token: unknown): Promise<void>;
}
