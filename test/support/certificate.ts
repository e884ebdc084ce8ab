import { createSign, generateKeyPairSync } from 'node:crypto';

/** A key and a certificate that it signed for itself, as PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly cert: string;
}

const ECDSA_SHA256 = sequence(objectId([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]));
const SUBJECT_ALT_NAME = [0x55, 0x1d, 0x11];
const COMMON_NAME = [0x55, 0x04, 0x03];

/** A certificate for a host name, valid for a day on both sides of now (RFC 5280). */
export function selfSignedCertificate(host: string): SelfSigned {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(objectId(COMMON_NAME), der(0x0c, Buffer.from(host)))));
  const altNames = sequence(der(0x82, Buffer.from(host)));
  const extension = sequence(objectId(SUBJECT_ALT_NAME), der(0x04, altNames));
  const toBeSigned = sequence(
    der(0xa0, integer(2)),
    integer(1),
    ECDSA_SHA256,
    name,
    sequence(time(Date.now() - 86_400_000), time(Date.now() + 86_400_000)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(extension)),
  );
  const signature = createSign('sha256').update(toBeSigned).sign(privateKey);
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]));
  const certificate = sequence(toBeSigned, ECDSA_SHA256, bits);
  const lines = certificate.toString('base64').replace(/(.{64})/g, '$1\n');
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content;
  if (length < 0x80) return Buffer.concat([Buffer.from([tag, length]), content]);
  const size = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts));
}

function set(...parts: readonly Buffer[]): Buffer {
  return der(0x31, Buffer.concat(parts));
}

function integer(value: number): Buffer {
  return der(0x02, Buffer.from([value]));
}

function objectId(bytes: readonly number[]): Buffer {
  return der(0x06, Buffer.from(bytes));
}

function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/[-:T]|\.\d+/g, '');
  return der(0x17, Buffer.from(digits.slice(2)));
}
