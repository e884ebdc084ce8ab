import type { buildConnector } from 'undici';
import { tlsCauseOf } from '../../platform/network/tls-cause.js';

/** So many refusals wait for the error that they explain; each is asked for at once. */
const KEPT_MAX = 100;

/**
 * Remembers why servers end sockets by an alert of TLS. Since TLS 1.3 a server judges the client
 * certificate after the handshake, and undici then only says that the other side has closed.
 */
export class TlsRefusals {
  readonly #byPort = new Map<number, Error>();

  /** Hands a socket on and listens to it. */
  watching(callback: buildConnector.Callback): buildConnector.Callback {
    return (...connected) => {
      const [, socket] = connected;
      const { localPort } = socket ?? {};
      socket?.once('error', (error) => {
        if (localPort === undefined || tlsCauseOf(error) === undefined) return;
        if (this.#byPort.size >= KEPT_MAX) this.#byPort.clear();
        this.#byPort.set(localPort, error);
      });
      callback(...connected);
    };
  }

  /** The alert that ended the socket of an error, or the error itself. */
  explained(error: Error): Error {
    const { localPort } =
      (error as { readonly socket?: { readonly localPort?: number } }).socket ?? {};
    const refusal = localPort === undefined ? undefined : this.#byPort.get(localPort);
    if (localPort === undefined || refusal === undefined) return error;
    this.#byPort.delete(localPort);
    return refusal;
  }
}
