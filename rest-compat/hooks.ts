import type { IncomingMessage } from 'node:http';
import type { Ctx } from '../src/graph/ctx.js';
import type { Site } from '../src/kernel/cross-origin.js';
import type { ErrorCode } from '../src/kernel/errors/catalogue.js';
import type { GatewayError } from '../src/kernel/errors/fail.js';
import type { Arrival, Place } from './arrival.js';
import type { Idempotency } from './idempotency.js';
import type { RestCredential } from './rest-directive.js';
import type { CompiledRow } from './row.js';

/** A document that is served beside the rows, made when it is first asked for. */
export interface ServedDocument {
  readonly contentType: string;
  /** @param address the one by which the caller reached the gateway, without a slash at the end */
  text(address: string): string;
}

/** The longest table in rows: of a file, which is held whole, and of a text, which is not. */
export interface TableRowsMax {
  readonly file: number;
  readonly text: number;
}

/** How a request of a row ended. */
export interface RequestEnd {
  /** As it was sent; 499 when the client left before the answer. */
  readonly status: number;
  /** Under which it failed, also after its first byte; undefined where nothing failed. */
  readonly code: ErrorCode | undefined;
  /** From its arrival to the last byte, in milliseconds. */
  readonly elapsedMs: number;
}

/** What the application gives to the transport. */
export interface RestHooks {
  newRequestId(): string;
  /** The page of an error code, at the address by which a request reached the gateway. */
  docUrl(code: string, request: IncomingMessage): string;
  /**
   * Who is asking. The arrival has the body's bytes, the request id and the signal; `credential`
   * says whether what is remembered of it will do.
   * @throws GatewayError when a credential is shown and is not valid
   */
  contextFor(
    request: IncomingMessage,
    arrival: Arrival,
    credential: RestCredential,
  ): Ctx | Promise<Ctx>;
  /**
   * Called before the body is read, with a row of the path. Its place is left at the end.
   * @throws GatewayError to shed the request, at once or after a wait
   */
  admit?(request: IncomingMessage, row: CompiledRow): Place | Promise<never>;
  /** Called once for each request of a row. */
  onDone?(row: CompiledRow, ctx: Ctx | undefined, end: RequestEnd): void;
  /** Called for failures that are the gateway's own, before they are answered. */
  onFailure?(error: GatewayError, arrival: Arrival, row: CompiledRow | undefined): void;
  /** Who may read answers in browsers, and the headers of all of them. */
  readonly site?: Site;
  readonly idempotency?: Idempotency;
  /** The longest tables; 100,000 rows of a file and 2,000,000 of a text unless stated. */
  readonly tableRowsMax?: TableRowsMax;
  /** The address by which a request reached the gateway, without a slash at the end. */
  addressOf?(request: IncomingMessage): string;
  /** Documents by path, such as /openapi.json. */
  readonly documents?: ReadonlyMap<string, ServedDocument>;
}
