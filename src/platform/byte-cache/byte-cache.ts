/**
 * Bytes that are kept for a while under a name. Whatever is lost is made again, so this is no
 * place for books; a name that is not there, or a store that is away, is answered by undefined.
 */
export interface ByteCache {
  get(key: string): Promise<Buffer | undefined>;
  /** Keeps the bytes for so many milliseconds at most. Never fails and never waits. */
  put(key: string, bytes: Buffer, keepMs: number): void;
  /** Drops all whose names begin so. A store that is away drops them when it is back. */
  drop(prefix: string): Promise<void>;
  /** Drops what this node alone keeps, where nobody else could tell it to. */
  dropOwn(): void;
  close(): Promise<void>;
}

/** The most bytes of one value: what is larger is not kept. */
export const VALUE_BYTES_MAX = 256 * 1_024;
