import { connect as connectPlain, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ConnectionOptions, connect as connectSecure } from 'node:tls';
import type { Deployment } from '../catalog/providers/model.js';
import { loadRegistry } from '../catalog/providers/registry.js';
import { AttemptFailure } from '../inference/upstream/attempt-failure.js';
import { loginOnce, tlsOf } from '../inference/upstream/transport.js';
import { type Config, ConfigError } from '../platform/config.js';
import { codeOf, type TlsCause, tlsCauseOf } from '../platform/network/tls-cause.js';

/** Something about a provider that can be tried without being paid for. */
export interface ProviderLook {
  readonly name: string;
  /** @returns what was found, as a line; throws ConfigError with what is wrong and what helps */
  readonly look: () => Promise<string>;
}

/**
 * Tries the connection to each provider: address, TLS handshake, client certificate, and the login
 * where there is one. No model is asked, so nothing is paid.
 */
export function lookAtProviders(config: Config): ProviderLook[] {
  const { deploymentsByKey } = loadRegistry(config);
  const byProvider = new Map<string, Deployment>();
  for (const deployment of deploymentsByKey.values()) {
    const { origin, providerId } = deployment;
    if (origin !== '') byProvider.set(`${providerId} ${origin}`, deployment);
  }
  const timeoutMs = config.GW_CONNECT_TIMEOUT_MS;
  return [...byProvider.values()].flatMap((deployment) => {
    const { providerId, origin, connection } = deployment;
    const reached = {
      name: `provider ${providerId}`,
      look: () => reachedAt(new URL(origin), connection, timeoutMs),
    };
    if (!connection?.login) return [reached];
    const login = { name: `login of ${providerId}`, look: () => loggedIn(deployment, timeoutMs) };
    return [reached, login];
  });
}

/** A server that asks for a client certificate refuses it after the handshake (TLS 1.3). */
const REFUSAL_MS_MAX = 300;

async function reachedAt(
  url: URL,
  connection: Deployment['connection'],
  timeoutMs: number,
): Promise<string> {
  const { origin, hostname, port, protocol } = url;
  const isSecure = protocol === 'https:';
  const address = {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port) || (isSecure ? 443 : 80),
  };
  try {
    const version = isSecure
      ? await handshake({ ...address, ...tlsOf(connection) }, timeoutMs)
      : await opened(connectPlain(address), 'connect', timeoutMs).then(() => undefined);
    return version === undefined ? `${origin} is reached` : `${origin} is reached over ${version}`;
  } catch (error) {
    throw refusalOf(origin, error, connection);
  }
}

type SecureAddress = ConnectionOptions & { readonly host: string };

async function handshake(address: SecureAddress, timeoutMs: number): Promise<string> {
  const { host } = address;
  const servername = /^[\d.]+$|:/.test(host) ? '' : host;
  const socket = connectSecure({ ...address, servername, ALPNProtocols: ['http/1.1'] });
  let refusal: unknown;
  let version = 'TLS';
  await opened(socket, 'secureConnect', timeoutMs, async () => {
    socket.once('error', (error) => {
      refusal = error;
    });
    version = socket.getProtocol() ?? version;
    await sleep(REFUSAL_MS_MAX);
  });
  if (refusal !== undefined) throw refusal;
  return version;
}

/** Waits until a socket is open, and closes it after what is done with it. */
async function opened(
  socket: Socket,
  event: 'connect' | 'secureConnect',
  timeoutMs: number,
  whileOpen: () => Promise<void> = async () => {},
): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      const late = () => reject(new Error(`no answer in ${timeoutMs} ms`));
      socket.setTimeout(timeoutMs, late);
      socket.once(event, resolve);
      socket.once('error', reject);
    });
    await whileOpen();
  } finally {
    socket.on('error', () => undefined);
    socket.destroy();
  }
}

function refusalOf(
  origin: string,
  error: unknown,
  connection: Deployment['connection'],
): ConfigError {
  const tls = tlsCauseOf(error);
  if (tls === undefined) {
    const reason = codeOf(error) || (error as Error).message;
    const cure = 'correct its address, or let this machine call it';
    return new ConfigError(`${origin} cannot be reached (${reason}); ${cure}`);
  }
  const { code, words } = tls;
  return new ConfigError(
    `${origin} is not connected to: ${words} (${code}); ${cureOf(tls, connection)}`,
  );
}

function cureOf({ words }: TlsCause, connection: Deployment['connection']): string {
  if (words.includes('authority')) {
    return connection?.authorities === undefined
      ? "name the authority's certificate in its ca_file"
      : 'ca_file holds another authority';
  }
  if (words.includes('client certificate')) {
    return connection?.certificate === undefined
      ? 'state its client_certificate'
      : 'ask the provider which client certificate it takes';
  }
  return 'ask whoever runs the provider';
}

async function loggedIn(deployment: Deployment, timeoutMs: number): Promise<string> {
  const { tokenUrl = '' } = deployment.connection?.login ?? {};
  try {
    const seconds = Math.round((await loginOnce(deployment, timeoutMs)) / 1_000);
    return `${tokenUrl} gives a token for ${seconds} s`;
  } catch (error) {
    if (!(error instanceof AttemptFailure)) throw error;
    const code = error.code ? ` (${error.code})` : '';
    throw new ConfigError(`${tokenUrl}: ${error.message}${code}; correct address or credentials`);
  }
}
