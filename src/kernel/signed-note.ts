import { createPublicKey, hash, type KeyObject, verify } from 'node:crypto';

/** The types of keys that notes are signed by (c2sp.org/signed-note): the first byte of a key. */
export const NOTE_KEYS = {
  /** The key of a log: Ed25519 over the text of the note. */
  log: 0x01,
  /** The key of a witness: Ed25519 over the time and the text (c2sp.org/tlog-cosignature). */
  cosignature: 0x04,
} as const;

const KEY_BYTES = 32;
const KEY_ID_BYTES = 4;
const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;
const ROOT_BYTES = 32;
/** The most characters of a note. A signature of today's kinds has at most 5,000 bytes. */
export const NOTE_LENGTH_MAX = 65_536;
/** The most signatures that are read of a note; the standard asks for 16 at least. */
const LINES_MAX = 64;

/** A public key with its name, as `name+id+key` says it. */
export interface VerifierKey {
  readonly name: string;
  /** The first four bytes of the hash of name, type and key, in hexadecimal digits. */
  readonly id: string;
  readonly publicKey: KeyObject;
  /** The text that it was read from. */
  readonly text: string;
}

/** A signature of a note. */
export interface NoteLine {
  readonly name: string;
  readonly keyId: string;
  readonly signature: Buffer;
  /** The line as it came, without its end. */
  readonly text: string;
}

/** A note: its text with the final line feed, and what signed it. */
export interface SignedNote {
  readonly body: string;
  readonly lines: readonly NoteLine[];
}

/** What a checkpoint says (c2sp.org/tlog-checkpoint), without extensions. */
export interface CheckpointText {
  readonly origin: string;
  readonly size: bigint;
  readonly rootSha256: Buffer;
}

const NAME = /^[^\s+]+$/u;

/** The bytes of standard base64; undefined for any other spelling. */
function bytesOf(text: string): Buffer | undefined {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : undefined;
}

/** The id of a key: SHA-256 of name, line feed, type and key, the first four bytes. */
function keyIdOf(name: string, typed: Uint8Array): string {
  const digest = hash('sha256', Buffer.concat([Buffer.from(`${name}\n`), typed]), 'hex');
  return digest.slice(0, 2 * KEY_ID_BYTES);
}

function typedKey(type: number, publicKey: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(type), publicKey]);
}

/** A public key as text: `name+id+key`. */
export function verifierKeyText(name: string, type: number, publicKey: Uint8Array): string {
  const typed = typedKey(type, publicKey);
  return `${name}+${keyIdOf(name, typed)}+${typed.toString('base64')}`;
}

/** Reads `name+id+key` of one type of keys, or says as a clause what is wrong with it. */
export function readVerifierKey(text: string, type: number): VerifierKey | string {
  const [name = '', id = '', ...rest] = text.split('+');
  // The base64 of a key may have a plus too.
  const typed = bytesOf(rest.join('+'));
  if (!NAME.test(name) || !/^[0-9a-f]{8}$/.test(id) || !typed || typed.length === 0) {
    return 'must be a key such as name+0123abcd+base64';
  }
  if (typed[0] !== type || typed.length !== 1 + KEY_BYTES) {
    const wanted = type.toString(16).padStart(2, '0');
    return `must be an Ed25519 key of type 0x${wanted}`;
  }
  if (keyIdOf(name, typed) !== id) return 'has an id that is not of this name and key';
  return { name, id, publicKey: ed25519Key(typed.subarray(1)), text };
}

/** An Ed25519 public key of its 32 bytes. */
function ed25519Key(bytes: Uint8Array): KeyObject {
  const x = Buffer.from(bytes).toString('base64url');
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
}

/** The text of a checkpoint, which a log and its witnesses sign. */
export function checkpointBody(origin: string, size: bigint, rootSha256: Uint8Array): string {
  return `${origin}\n${size}\n${Buffer.from(rootSha256).toString('base64')}\n`;
}

/** What the text of a note says of a log; undefined where it is no checkpoint. */
export function readCheckpoint(body: string): CheckpointText | undefined {
  const [origin = '', size = '', root = '', ...rest] = body.split('\n');
  const rootSha256 = bytesOf(root);
  const isWhole = rest.length === 1 && rest[0] === '';
  if (!isWhole || origin === '' || !/^(?:0|[1-9]\d{0,17})$/.test(size)) return undefined;
  if (rootSha256?.length !== ROOT_BYTES) return undefined;
  return { origin, size: BigInt(size), rootSha256 };
}

/** The line of a signature. */
export function noteLine(key: Pick<VerifierKey, 'name' | 'id'>, signature: Uint8Array): string {
  const bytes = Buffer.concat([Buffer.from(key.id, 'hex'), signature]);
  return `— ${key.name} ${bytes.toString('base64')}`;
}

/** The lines of signatures, each with its line feed; undefined where there is something else. */
export function readNoteLines(text: string): readonly NoteLine[] | undefined {
  const texts = text.split('\n');
  if (texts.pop() !== '' || texts.length === 0 || texts.length > LINES_MAX) return undefined;
  const lines = texts.flatMap((line): NoteLine[] => {
    const [, name, base64] = /^— ([^\s+]+) (\S+)$/u.exec(line) ?? [];
    const bytes = bytesOf(base64 ?? '');
    if (name === undefined || !bytes || bytes.length <= KEY_ID_BYTES) return [];
    const keyId = bytes.subarray(0, KEY_ID_BYTES).toString('hex');
    return [{ name, keyId, signature: bytes.subarray(KEY_ID_BYTES), text: line }];
  });
  return lines.length === texts.length ? lines : undefined;
}

/** Reads a note with at least one signature; undefined where it is none. */
export function readNote(text: string): SignedNote | undefined {
  const end = text.lastIndexOf('\n\n');
  if (end < 0 || text.length > NOTE_LENGTH_MAX) return undefined;
  const lines = readNoteLines(text.slice(end + 2));
  return lines && { body: text.slice(0, end + 1), lines };
}

/** What a witness signs: the time, and the text of the checkpoint. */
function cosignedText(time: bigint, body: string): string {
  return `cosignature/v1\ntime ${time}\n${body}`;
}

/** True for a line that says it is of this key; only then its signature must hold. */
export function isBy(key: VerifierKey, { name, keyId }: NoteLine): boolean {
  return key.name === name && key.id === keyId;
}

/**
 * The time at which a witness says that it cosigned, in seconds since 1970; undefined where the
 * signature is not that of the witness over this text and time.
 */
export function timeCosigned(key: VerifierKey, line: NoteLine, body: string): bigint | undefined {
  const { signature } = line;
  if (signature.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const time = signature.readBigUInt64BE(0);
  const text = Buffer.from(cosignedText(time, body));
  const isGood = verify(null, text, key.publicKey, signature.subarray(TIME_BYTES));
  return isGood && time > 0n ? time : undefined;
}
