import type { LookupAddress } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector } from 'undici';

/** Why a connection was refused before a byte was sent. */
export type Refusal = 'name_unresolved' | 'address_refused';

/** What a judged connection is made by. */
export interface JudgedConnection {
  /** Whether a socket may go to this address. */
  readonly allowed: (address: string) => boolean;
  /** The error that a refusal ends in. */
  readonly refusal: (why: Refusal) => Error;
  readonly connectMsMax: number;
  /** All addresses of a host; the resolver of the system unless stated. @throws without any */
  readonly resolve?: (host: string) => Promise<readonly LookupAddress[]>;
  /** PEM of the authority to trust instead of those that the process trusts. */
  readonly authority?: string;
}

/** All addresses of a host by the resolver of the system. @throws when it has none */
export function systemAddresses(host: string): Promise<LookupAddress[]> {
  return lookup(host, { all: true, verbatim: true });
}

/**
 * Makes sockets that go to judged addresses and nowhere else. The addresses of the host are asked
 * for once in a connection and judged all together: one that is not allowed refuses the host. The
 * socket gets the judged addresses themselves, so there is no second question that could be
 * answered otherwise, and the address that it really has is judged again before anything is sent.
 */
export function judgedConnector(judged: JudgedConnection): buildConnector.connector {
  const { allowed, refusal } = judged;
  const connect = buildConnector({
    lookup: judgedLookup(judged),
    ca: judged.authority,
    timeout: judged.connectMsMax,
    rejectUnauthorized: true,
    maxCachedSessions: 0,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[|\]$/g, '');
    if (isIP(host) !== 0 && !allowed(host)) {
      callback(refusal('address_refused'), null);
      return;
    }
    connect(options, (error, socket) => {
      if (error) callback(error, null);
      else giveJudged(socket, judged, callback);
    });
  };
}

function giveJudged(
  socket: Socket,
  { allowed, refusal }: JudgedConnection,
  callback: buildConnector.Callback,
): void {
  if (allowed(socket.remoteAddress ?? '')) {
    callback(null, socket);
    return;
  }
  socket.destroy();
  callback(refusal('address_refused'), null);
}

class Refused extends Error {
  constructor(readonly why: Refusal) {
    super(why);
  }
}

function judgedLookup({
  allowed,
  refusal,
  resolve = systemAddresses,
}: JudgedConnection): LookupFunction {
  return (host, options, callback) => {
    const judge = (addresses: readonly LookupAddress[]) => {
      const [first] = addresses;
      if (!first) throw new Refused('name_unresolved');
      if (!addresses.every(({ address }) => allowed(address))) throw new Refused('address_refused');
      return { all: [...addresses], first };
    };
    resolve(host)
      .catch(() => [])
      .then(judge)
      .then(
        ({ all, first }) =>
          options.all ? callback(null, all) : callback(null, first.address, first.family),
        (error: unknown) => {
          const shown = error instanceof Refused ? refusal(error.why) : (error as Error);
          callback(shown, options.all ? [] : '');
        },
      );
  };
}
