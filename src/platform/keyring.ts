import {
  hmacKey,
  hmacUnder,
  keyIdOf,
  openBytes,
  SealError,
  type SealedPlace,
  sealBytes,
  sealedUnder,
} from './secrets.js';

/** The secrets of an installation: one that makes everything new, and others that still count. */
export interface GivenSecrets {
  readonly secret: string;
  /** What the secret was before, or is to become: they open and verify, and make nothing. */
  readonly otherSecrets?: readonly string[];
}

/** What keyed hashes are made for whose texts the gateway does not have, so none is made anew. */
const LASTING_PURPOSES = [
  'api key',
  'recovery code',
  'webhook signing',
  'tool signing',
  'report link',
] as const;

/** A purpose of keyed hashes that outlive the secret which they were made under. */
export type LastingPurpose = (typeof LASTING_PURPOSES)[number];

/** The keys of a former secret by purpose. They open nothing that was sealed under it. */
export interface FormerHashKeys {
  /** The id of the secret, in hexadecimal. */
  readonly id: string;
  readonly keys: Readonly<Partial<Record<LastingPurpose, Uint8Array>>>;
}

/**
 * What is sealed and hashed under the secret of the installation. While it is being replaced, what
 * was made under the former one, or already is under the next one, holds as well.
 */
export class Keyring {
  /** The id of the secret that seals, in hexadecimal. */
  readonly id: string;
  private readonly current: string;
  private readonly byId: ReadonlyMap<string, string>;
  private former: readonly FormerHashKeys[] = [];

  constructor({ secret, otherSecrets = [] }: GivenSecrets) {
    this.current = secret;
    this.id = idOf(secret);
    this.byId = new Map([secret, ...otherSecrets].map((each) => [idOf(each), each]));
  }

  /** The ids of the secrets that only open and verify. */
  get otherIds(): readonly string[] {
    return [...this.byId.keys()].filter((id) => id !== this.id);
  }

  /** Seals under the secret in force. */
  seal(place: SealedPlace, bytes: Uint8Array): Buffer {
    return sealBytes(this.current, place, bytes);
  }

  /** @throws SealError when it was sealed under none of the secrets, elsewhere, or was changed */
  open(place: SealedPlace, sealed: Uint8Array): Buffer {
    const id = sealedUnder(sealed);
    return openBytes(this.byId.get(id) ?? this.current, place, sealed);
  }

  /** False for what was sealed under a secret that is not given any more. */
  knows(sealed: Uint8Array): boolean {
    return this.byId.has(sealedUnder(sealed));
  }

  /** A keyed hash under the secret in force. */
  hmac(purpose: string, bytes: Uint8Array | string): Buffer {
    return hmacUnder(hmacKey(this.current, purpose), bytes);
  }

  /**
   * The keyed hashes by which something may be known that was made under any secret: that in force
   * first. Without another secret, and without a former one, it is one.
   */
  hmacs(purpose: LastingPurpose, bytes: Uint8Array | string): readonly Buffer[] {
    const keys = [...this.byId.values()].map((secret) => hmacKey(secret, purpose));
    for (const { id, keys: former } of this.former) {
      const key = former[purpose];
      if (key && !this.byId.has(id)) keys.push(Buffer.from(key));
    }
    return keys.map((key) => hmacUnder(key, bytes));
  }

  /** Lets what was hashed under secrets count that are not known any more. */
  remember(former: readonly FormerHashKeys[]): void {
    this.former = former;
  }

  /**
   * The hash keys of a secret that only opens and verifies.
   * @throws SealError for one that is not known
   */
  hashKeysOf(id: string): FormerHashKeys {
    const secret = this.byId.get(id);
    if (secret === undefined) throw new SealError(`there is no secret with the id ${id}`);
    const keys = LASTING_PURPOSES.map((purpose) => [purpose, hmacKey(secret, purpose)]);
    return { id, keys: Object.fromEntries(keys) };
  }
}

function idOf(secret: string): string {
  return keyIdOf(secret).toString('hex');
}
