import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../../platform/config.js';
import type { CatalogueProvider } from './catalogue-entry.js';
import type { ConnectionContents, ConnectionEntry } from './connection-entry.js';
import { Secret } from './secret.js';

/** How a gateway logs in to get the bearer of a provider (RFC 6749, section 4.4). */
export interface ProviderLogin {
  readonly tokenUrl: string;
  readonly scope: string | undefined;
  /** `base64(id:secret)`. */
  readonly credentials: Secret;
  /** False where the provider takes no `grant_type`. */
  readonly statesGrantType: boolean;
  /** A header that takes a new UUID with each login. */
  readonly requestIdHeader: string | undefined;
}

/** How sockets and requests to a provider are made, beyond its address and key. */
export interface ProviderConnection {
  /** PEM of the authorities to trust instead of the public ones. */
  readonly authorities: string | undefined;
  readonly certificate: string | undefined;
  readonly privateKey: Secret | undefined;
  readonly passphrase: Secret | undefined;
  /** Values of the file are texts, values of variables are secrets. */
  readonly headers: readonly { readonly name: string; readonly value: string | Secret }[];
  readonly login: ProviderLogin | undefined;
}

/**
 * The same providers with the contents of the files that their connections name.
 * @param folder what relative names are relative to
 * @throws ConfigError that lists every file that cannot be read or does not hold what it should
 */
export function withContents(
  entries: readonly CatalogueProvider[],
  folder: string,
  environment: NodeJS.ProcessEnv,
): CatalogueProvider[] {
  const faults: string[] = [];
  const read = entries.map((entry) => {
    const { connection, id } = entry;
    if (connection === undefined || connection.contents !== undefined) return entry;
    const files = new ConnectionFiles(folder, (name, fault) => {
      faults.push(`${id}, ${name}: ${fault}`);
    });
    return { ...entry, connection: { ...connection, contents: files.of(connection, environment) } };
  });
  if (faults.length === 0) return read;
  throw new ConfigError(`Files of providers have faults:\n  ${faults.join('\n  ')}`);
}

type Complain = (name: string, fault: string) => void;

class ConnectionFiles {
  constructor(
    private readonly folder: string,
    private readonly complain: Complain,
  ) {}

  of(entry: ConnectionEntry, environment: NodeJS.ProcessEnv): ConnectionContents {
    const { client_certificate: own, ca_file_env: variable } = entry;
    const stated = variable === undefined ? undefined : environment[variable];
    const authorities = stated
      ? this.certificates(variable ?? '', stated)
      : this.certificates('ca_file', entry.ca_file);
    const certificate = this.certificates('client_certificate.cert_file', own?.cert_file);
    const privateKey = this.content('client_certificate.key_file', own?.key_file)?.toString('utf8');
    if (certificate !== undefined && privateKey !== undefined) {
      this.match(certificate, privateKey, environment[own?.passphrase_env ?? '']);
    }
    return {
      ...(authorities === undefined ? {} : { authorities }),
      ...(certificate === undefined ? {} : { certificate }),
      ...(privateKey === undefined ? {} : { privateKey }),
    };
  }

  private content(name: string, file: string | undefined): Buffer | undefined {
    if (file === undefined) return undefined;
    try {
      return readFileSync(resolve(this.folder, file));
    } catch (error) {
      this.complain(name, `${file} cannot be read (${(error as NodeJS.ErrnoException).code})`);
      return undefined;
    }
  }

  /** All certificates of a file, as PEM; a file of DER holds one. */
  private certificates(name: string, file: string | undefined): string | undefined {
    const content = this.content(name, file);
    if (content === undefined) return undefined;
    try {
      const blocks = content.toString('latin1').match(CERTIFICATE) ?? [content];
      return blocks.map((block) => new X509Certificate(block).toString()).join('');
    } catch {
      this.complain(name, `${file} holds something that is not a certificate (PEM or DER)`);
      return undefined;
    }
  }

  private match(cert: string, key: string, passphrase: string | undefined): void {
    try {
      createSecureContext({ cert, key, ...(passphrase === undefined ? {} : { passphrase }) });
    } catch {
      const fault = 'certificate and key do not belong together, or the passphrase is wrong';
      this.complain('client_certificate', fault);
    }
  }
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The variables that a connection needs. */
export function variablesOf({ headers_env, login, client_certificate }: ConnectionEntry): string[] {
  const { client_id_env, client_secret_env, credentials_env } = login ?? {};
  const names = [
    ...Object.values(headers_env ?? {}),
    ...[client_id_env, client_secret_env, credentials_env, client_certificate?.passphrase_env],
  ];
  return names.filter((name) => name !== undefined);
}

/** The connection of a provider whose variables are all set; undefined where it is a plain one. */
export function connectionOf(
  entry: ConnectionEntry | undefined,
  environment: NodeJS.ProcessEnv,
): ProviderConnection | undefined {
  if (entry === undefined) return undefined;
  const { headers = {}, headers_env = {}, contents = {}, client_certificate: own } = entry;
  const secretOf = (name: string) => new Secret(environment[name] ?? '');
  return Object.freeze({
    authorities: contents.authorities,
    certificate: contents.certificate,
    privateKey: contents.privateKey === undefined ? undefined : new Secret(contents.privateKey),
    passphrase: own?.passphrase_env === undefined ? undefined : secretOf(own.passphrase_env),
    headers: [
      ...Object.entries(headers).map(([name, value]) => ({ name, value })),
      ...Object.entries(headers_env).map(([name, from]) => ({ name, value: secretOf(from) })),
    ],
    login: loginOf(entry, environment),
  });
}

function loginOf(
  { login }: ConnectionEntry,
  environment: NodeJS.ProcessEnv,
): ProviderLogin | undefined {
  if (login === undefined) return undefined;
  const stated = environment[login.credentials_env ?? ''];
  // RFC 6749, section 2.3.1: both are form-encoded before they are joined.
  const pair = [login.client_id_env, login.client_secret_env].map((name = '') =>
    encodeURIComponent(environment[name] ?? ''),
  );
  return Object.freeze({
    tokenUrl: environment[login.token_url_env ?? ''] || login.token_url,
    scope: environment[login.scope_env ?? ''] || login.scope,
    credentials: new Secret(stated ?? Buffer.from(pair.join(':')).toString('base64')),
    statesGrantType: login.grant_type === 'client_credentials',
    requestIdHeader: login.request_id_header,
  });
}
