import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import type { Keyring } from '../keyring.js';
import { briefError } from '../loggable-error.js';
import { SealError, type SealedPlace } from '../secrets.js';
import { type ByteCache, VALUE_BYTES_MAX } from './byte-cache.js';

/** A request does not wait longer for what it can make itself. */
const ANSWER_MS_MAX = 100;

const PREFIX = 'gw:bytes:';
const SCANNED_AT_ONCE = 1_000;
/** When a drop is tried again that a store which is there did not answer in time. */
const DROP_AGAIN_MS = 1_000;

/**
 * Bytes that several nodes share, sealed: Redis sees no word of them. While it is away nothing is
 * found and nothing is kept.
 */
export class RedisByteCache implements ByteCache {
  private readonly redis: Redis;
  private isAway = false;
  /** What is still to be dropped, since the store was away: until then nothing of it is found. */
  private readonly toDrop = new Set<string>();

  constructor(
    url: string,
    private readonly keyring: Keyring,
    private readonly log: Logger,
  ) {
    this.redis = new Redis(url, {
      commandTimeout: ANSWER_MS_MAX,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      keyPrefix: PREFIX,
    });
    this.redis.on('error', (error) => this.lost(error));
    this.redis.on('ready', () => {
      this.isAway = false;
      for (const prefix of this.toDrop) void this.drop(prefix);
    });
  }

  async get(key: string): Promise<Buffer | undefined> {
    if (this.redis.status !== 'ready' || this.isToDrop(key)) return undefined;
    try {
      const sealed = await this.redis.getBuffer(key);
      return sealed ? this.keyring.open(placeOf(key), sealed) : undefined;
    } catch (error) {
      // Of another secret: as good as not there.
      if (!(error instanceof SealError)) this.lost(error);
      return undefined;
    }
  }

  put(key: string, bytes: Buffer, keepMs: number): void {
    if (this.redis.status !== 'ready' || this.isToDrop(key)) return;
    if (bytes.length > VALUE_BYTES_MAX) return;
    const sealed = this.keyring.seal(placeOf(key), bytes);
    this.redis.set(key, sealed, 'PX', keepMs).catch((error) => this.lost(error));
  }

  async drop(prefix: string): Promise<void> {
    this.toDrop.add(prefix);
    if (this.redis.status !== 'ready') return;
    try {
      let cursor = '0';
      do {
        const match = `${PREFIX}${prefix}*`;
        const [next, keys] = await this.redis.scan(
          cursor,
          'MATCH',
          match,
          'COUNT',
          SCANNED_AT_ONCE,
        );
        // What a scan answers has the prefix, which the client puts before what it is given.
        const names = keys.map((key) => key.slice(PREFIX.length));
        if (names.length > 0) await this.redis.unlink(...names);
        cursor = next;
      } while (cursor !== '0');
      this.toDrop.delete(prefix);
    } catch (error) {
      this.lost(error);
      setTimeout(() => void this.drop(prefix), DROP_AGAIN_MS).unref();
    }
  }

  /** Every node drops what all of them share. */
  dropOwn(): void {}

  private isToDrop(key: string): boolean {
    for (const prefix of this.toDrop) if (key.startsWith(prefix)) return true;
    return false;
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }

  private lost(error: unknown): void {
    if (!this.isAway)
      this.log.warn({ reason: briefError(error) }, 'redis is away: no kept answers are found');
    this.isAway = true;
  }
}

function placeOf(key: string): SealedPlace {
  return { tenantId: null, table: 'byte_cache', field: 'value', row: key };
}
