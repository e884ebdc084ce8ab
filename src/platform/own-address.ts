import { randomBytes } from 'node:crypto';

/** The header by which this process knows requests that it makes to itself. */
export const OWN_REQUEST_HEADER = 'x-gw-own-request';

/** Where this process can be reached from itself; known as soon as it listens. */
export class OwnAddress {
  /** The value of the header: random in each process, and told to nobody. */
  readonly mark = randomBytes(32).toString('base64url');
  private url: string | undefined;

  /** Told once, when the server listens. A wildcard host is reached through the loopback. */
  listening(host: string, port: number): void {
    const wildcard = host === '0.0.0.0' || host === '::' || host === '';
    const name = wildcard ? '127.0.0.1' : host;
    this.url = `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
  }

  /** The address, without a slash at its end. @throws Error before the server listens */
  get(): string {
    if (this.url === undefined) throw new Error('this process does not listen yet');
    return this.url;
  }
}
