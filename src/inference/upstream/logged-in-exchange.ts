import type { Secret } from '../../catalog/providers/secret.js';
import type { CarrierHandle, CarrierReceiver } from './carrier.js';
import type { Login } from './login.js';
import type { Told } from './told.rules.js';

/** Sends the request with these further headers; the receiver gets what comes back. */
export type Dispatch = (bearer: readonly string[], receiver: CarrierReceiver) => CarrierHandle;

const UNAUTHORIZED = 401;

/**
 * One exchange with a provider whose bearer comes from a login. It waits for the login where there
 * is no bearer yet. Where the provider refuses the bearer, it is sent once more with another one:
 * providers end tokens before their time.
 */
export class LoggedInExchange implements CarrierHandle, CarrierReceiver {
  #exchange: CarrierHandle | undefined;
  #bearer: Secret | undefined;
  #repeated = false;
  #over = false;

  constructor(
    private readonly receiver: CarrierReceiver,
    private readonly login: Login,
    private readonly dispatch: Dispatch,
  ) {
    this.#begin();
  }

  onStatus(status: number, retryAfterMs: number | undefined, told?: Told): void {
    if (status === UNAUTHORIZED && this.#bearer && this.login.refused(this.#bearer)) {
      if (!this.#repeated) {
        this.#repeated = true;
        this.#exchange?.abort();
        this.#begin();
        return;
      }
    }
    this.receiver.onStatus(status, retryAfterMs, told);
  }

  onData(chunk: Buffer): boolean {
    return this.receiver.onData(chunk);
  }

  onEnd(): void {
    this.#over = true;
    this.receiver.onEnd();
  }

  onError(error: Error): void {
    if (this.#over) return;
    this.#over = true;
    this.receiver.onError(error);
  }

  resume(): void {
    this.#exchange?.resume();
  }

  abort(): void {
    this.#over = true;
    this.#exchange?.abort();
  }

  #begin(): void {
    const bearer = this.login.bearer();
    if (bearer instanceof Promise) this.#sendWhenMade(bearer);
    else this.#send(bearer);
  }

  #sendWhenMade(bearer: Promise<Secret>): void {
    bearer.then((made) => this.#send(made)).catch((error: unknown) => this.onError(error as Error));
  }

  #send(bearer: Secret): void {
    if (this.#over) return;
    this.#bearer = bearer;
    this.#exchange = this.dispatch(['authorization', `Bearer ${bearer.reveal()}`], this);
  }
}
