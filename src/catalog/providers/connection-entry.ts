import { z } from 'zod';

/** The name of an environment variable. */
export const ENVIRONMENT_NAME = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be a variable name');

/** An address of http or https without a user, a query or a fragment. */
export const PLAIN_ADDRESS = z.url({ protocol: /^https?$/ }).refine(
  (address) => {
    const { username, password, search, hash } = new URL(address);
    return username === '' && password === '' && search === '' && hash === '';
  },
  { message: 'must hold no user, password, query or fragment; name the key in api_key_env' },
);

const FILE_NAME = z.string().min(1).max(4_096);

/** Headers that the gateway writes itself, or that belong to one hop (RFC 9110, section 7.6.1). */
const RESERVED = new Set([
  ...['accept', 'content-length', 'content-type', 'host', 'user-agent', 'expect'],
  ...['connection', 'keep-alive', 'te', 'trailer', 'transfer-encoding', 'upgrade'],
  ...['traceparent', 'tracestate', 'cookie', 'proxy-authorization'],
]);

const HEADER_NAME = z
  .string()
  .regex(/^[\w!#$%&'*+.^`|~-]{1,100}$/, 'must be the name of a header')
  .refine((name) => !RESERVED.has(name.toLowerCase()), 'is a header that the gateway writes');
const HEADER_VALUE = z.string().regex(/^[\x20-\x7e]{1,4000}$/, 'must be printable ASCII');

const CLIENT_CERTIFICATE = z.strictObject({
  cert_file: FILE_NAME,
  key_file: FILE_NAME,
  passphrase_env: ENVIRONMENT_NAME.optional(),
});

const LOGIN = z
  .strictObject({
    token_url: PLAIN_ADDRESS,
    /** Replaces `token_url` where the variable is set. */
    token_url_env: ENVIRONMENT_NAME.optional(),
    scope: z.string().min(1).max(1_000).optional(),
    /** Replaces `scope` where the variable is set. */
    scope_env: ENVIRONMENT_NAME.optional(),
    client_id_env: ENVIRONMENT_NAME.optional(),
    client_secret_env: ENVIRONMENT_NAME.optional(),
    /** Holds both, as `base64(id:secret)`, which some providers hand out in this form. */
    credentials_env: ENVIRONMENT_NAME.optional(),
    grant_type: z.enum(['client_credentials', 'omitted']).default('client_credentials'),
    request_id_header: HEADER_NAME.optional(),
  })
  .refine(
    ({ client_id_env, client_secret_env, credentials_env }) =>
      credentials_env === undefined
        ? client_id_env !== undefined && client_secret_env !== undefined
        : client_id_env === undefined && client_secret_env === undefined,
    { message: 'needs client_id_env and client_secret_env, or credentials_env' },
  );

/** The members of a provider that say how it is connected to, in the words of the file. */
export const CONNECTION_FIELDS = {
  ca_file: FILE_NAME.optional(),
  client_certificate: CLIENT_CERTIFICATE.optional(),
  headers: z.record(z.string(), HEADER_VALUE).optional(),
  headers_env: z.record(z.string(), ENVIRONMENT_NAME).optional(),
  login: LOGIN.optional(),
};

/** How a provider is connected to, as the file writes it, with the contents of its files. */
export interface ConnectionEntry {
  readonly ca_file?: string | undefined;
  /** Of the built-in catalogue: the variable that names the file. */
  readonly ca_file_env?: string | undefined;
  readonly client_certificate?: z.output<typeof CLIENT_CERTIFICATE> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly headers_env?: Readonly<Record<string, string>> | undefined;
  readonly login?: z.output<typeof LOGIN> | undefined;
  /** What the files hold, as PEM; absent until they are read. */
  readonly contents?: ConnectionContents;
}

/** What the files of a connection hold, as PEM. */
export interface ConnectionContents {
  readonly authorities?: string;
  readonly certificate?: string;
  readonly privateKey?: string;
}

/** What a whole entry shows of its connection. */
interface Connected extends ConnectionEntry {
  readonly base_url?: string | undefined;
  readonly api_key_env?: string | undefined;
}

/**
 * What is wrong with a connection beyond the shape of its members: TLS settings without TLS, two
 * ways to log in, a header that is written twice.
 */
export function connectionIssues(entry: Connected): { path: string[]; message: string }[] {
  const { base_url = 'https:', api_key_env, login, headers = {}, headers_env = {} } = entry;
  const issues: { path: string[]; message: string }[] = [];
  const isPlain = base_url.startsWith('http:');
  for (const name of ['ca_file', 'client_certificate'] as const) {
    if (entry[name] && isPlain) issues.push({ path: [name], message: 'needs an https base_url' });
  }
  if (login && api_key_env) {
    issues.push({ path: ['login'], message: 'goes without api_key_env: it makes the bearer' });
  }
  const seen = new Set(login || api_key_env ? ['authorization'] : []);
  for (const [member, each] of Object.entries({ headers, headers_env })) {
    for (const name of Object.keys(each)) {
      const named = HEADER_NAME.safeParse(name);
      for (const { message } of named.error?.issues ?? []) {
        issues.push({ path: [member, name], message });
      }
      const message = 'is written twice';
      if (seen.has(name.toLowerCase())) issues.push({ path: [member, name], message });
      seen.add(name.toLowerCase());
    }
  }
  return issues;
}
