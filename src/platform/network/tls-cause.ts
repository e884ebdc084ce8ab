/** A failure of TLS: its code, and what it means for the operator of this server. */
export interface TlsCause {
  /** As Node and OpenSSL name it, such as `CERT_HAS_EXPIRED`. */
  readonly code: string;
  readonly words: string;
}

interface Row {
  readonly codes: RegExp;
  readonly words: string;
}

/** The first row whose codes match says what is wrong. The codes are those of OpenSSL. */
const CAUSES: readonly Row[] = [
  {
    codes: /^(UNABLE_TO_VERIFY_LEAF|UNABLE_TO_GET_ISSUER|SELF_SIGNED_CERT|DEPTH_ZERO_SELF)/,
    words: 'an authority that this server does not trust has signed its certificate',
  },
  { codes: /^CERT_HAS_EXPIRED$/, words: 'its certificate has expired' },
  { codes: /^CERT_NOT_YET_VALID$/, words: 'its certificate is not valid yet' },
  { codes: /^CERT_REVOKED$/, words: 'its certificate is revoked' },
  {
    codes: /^ERR_TLS_CERT_ALTNAME_INVALID$/,
    words: 'its certificate is for another host name',
  },
  {
    codes: /ALERT_(CERTIFICATE_(REQUIRED|UNKNOWN)|BAD_CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE)$/,
    words: 'it refuses the client certificate of this server, or asks for one',
  },
  {
    codes: /WRONG_VERSION_NUMBER$|HTTP_REQUEST$|UNSUPPORTED_PROTOCOL$|ALERT_PROTOCOL_VERSION$/,
    words: 'it does not speak TLS of a version that this server takes',
  },
  { codes: /^(ERR_SSL_|ERR_TLS_|CERT_|EPROTO$)/, words: 'the TLS handshake failed' },
];

const ALERT = /alert (?:handshake failure|bad certificate|unknown ca|certificate unknown)/;

/** What TLS says about a socket that failed; undefined where the failure is not one of TLS. */
export function tlsCauseOf(error: unknown): TlsCause | undefined {
  const code = codeOf(error);
  // Before TLS 1.3 Node names every alert EPROTO, and only the message says which one it was.
  const [alert] = code === 'EPROTO' ? (ALERT.exec((error as Error).message) ?? []) : [];
  const name = alert === undefined ? code : alert.toUpperCase().replaceAll(' ', '_');
  const row = CAUSES.find(({ codes }) => codes.test(name));
  return row && { code, words: row.words };
}

/** The code of a system or TLS error; empty where it has none. */
export function codeOf(error: unknown): string {
  const { code } = (error ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : '';
}
