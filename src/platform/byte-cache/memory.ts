import { LRUCache } from 'lru-cache';
import { type ByteCache, VALUE_BYTES_MAX } from './byte-cache.js';

const BYTES_MAX = 32 * 1_024 * 1_024;

/** Bytes in the memory of this node: the least recently used go first. */
export class MemoryByteCache implements ByteCache {
  private readonly values: LRUCache<string, Buffer>;

  constructor(bytesMax = BYTES_MAX) {
    this.values = new LRUCache({
      maxSize: bytesMax,
      maxEntrySize: VALUE_BYTES_MAX,
      sizeCalculation: (bytes, key) => bytes.length + key.length,
    });
  }

  async get(key: string): Promise<Buffer | undefined> {
    return this.values.get(key);
  }

  put(key: string, bytes: Buffer, keepMs: number): void {
    this.values.set(key, bytes, { ttl: keepMs });
  }

  async drop(prefix: string): Promise<void> {
    for (const key of [...this.values.keys()]) if (key.startsWith(prefix)) this.values.delete(key);
  }

  dropOwn(): void {
    this.values.clear();
  }

  async close(): Promise<void> {
    this.values.clear();
  }
}
