import type { Deployment } from '../../catalog/providers/model.js';
import type { Jurisdiction, Operation } from '../../catalog/providers/vocabulary.js';
import type { Trace } from '../../kernel/trace.rules.js';
import type { Told } from './told.rules.js';

/** One request to one deployment, as bytes. */
export interface CarrierRequest {
  readonly deployment: Deployment;
  readonly operation: Operation;
  readonly body: Buffer;
  readonly jurisdictionsAllowed: readonly Jurisdiction[];
  readonly trace?: Trace | undefined;
  /** The parent that is told with the trace; one is made where it is absent. */
  readonly spanId?: string | undefined;
}

/** Gets what comes back. After `onEnd` or `onError` nothing more comes. */
export interface CarrierReceiver {
  /** `retryAfterMs` as the upstream asked, or undefined; `told` is what it says of its limits. */
  onStatus(status: number, retryAfterMs: number | undefined, told?: Told): void;
  /** Return false to stop reading until `resume`. */
  onData(chunk: Buffer): boolean;
  onEnd(): void;
  onError(error: Error): void;
}

/** Holds a request that was sent. */
export interface CarrierHandle {
  resume(): void;
  /** Closes the connection; the receiver hears nothing more. Safe to call twice. */
  abort(): void;
}

/** Takes requests to upstreams: over sockets, or in process for the sandbox. */
export interface Carrier {
  /**
   * Never calls the receiver before it returns.
   * @throws ForbiddenRoute for a deployment whose jurisdiction is not allowed
   */
  send(request: CarrierRequest, receiver: CarrierReceiver): CarrierHandle;
  /** The text without any credential that requests to the deployment carry. */
  masked(deployment: Deployment, text: string): string;
}

/** The guard at the socket: a route outside was asked for by a request that must stay inside. */
export class ForbiddenRoute extends Error {
  constructor(deployment: Deployment) {
    super(`a ${deployment.jurisdiction} route is not allowed for this request`);
    this.name = 'ForbiddenRoute';
  }
}
