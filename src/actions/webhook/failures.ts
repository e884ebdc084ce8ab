/** Why a call of a webhook has failed, in the order of its way. */
export const WEBHOOK_FAILURES = [
  { code: 'url_refused', description: 'The URL breaks the rules for endpoints.' },
  { code: 'name_unresolved', description: 'The name of the host has no address.' },
  {
    code: 'address_refused',
    description: 'An address of the host does not belong to the public internet.',
  },
  { code: 'connection_failed', description: 'No connection could be made, or it broke.' },
  { code: 'certificate_refused', description: 'The certificate of the host cannot be trusted.' },
  { code: 'timeout', description: 'The endpoint did not answer within the time of the call.' },
  { code: 'cancelled', description: 'The caller gave up before the endpoint answered.' },
  {
    code: 'redirect_refused',
    description: 'The endpoint pointed elsewhere; redirects are never followed.',
  },
  { code: 'status_refused', description: 'The endpoint answered with a status below 500.' },
  { code: 'status_failed', description: 'The endpoint answered with a status of 500 or above.' },
] as const;

/** Why a call of a webhook has failed. */
export type WebhookFailure = (typeof WEBHOOK_FAILURES)[number]['code'];

/** A connection that was refused before a byte was sent. */
export class ConnectionRefused extends Error {
  constructor(readonly failure: WebhookFailure) {
    super(failure);
  }
}

/** What node and OpenSSL say about certificates that do not hold. */
const CERTIFICATE_CODES =
  /^(ERR_TLS_CERT|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|HOSTNAME_MISMATCH)/;
const TIMEOUT_CODES: ReadonlySet<string> = new Set([
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'ETIMEDOUT',
]);

/** The failure that an error of an exchange means. */
export function failureOf(error: unknown): WebhookFailure {
  if (error instanceof ConnectionRefused) return error.failure;
  const code = String((error as { code?: unknown } | null)?.code ?? '');
  if (CERTIFICATE_CODES.test(code)) return 'certificate_refused';
  return TIMEOUT_CODES.has(code) ? 'timeout' : 'connection_failed';
}

/** The failure that a status means, or null for one of success. */
export function failureOfStatus(status: number): WebhookFailure | null {
  if (status < 300) return null;
  if (status < 400) return 'redirect_refused';
  return status < 500 ? 'status_refused' : 'status_failed';
}
