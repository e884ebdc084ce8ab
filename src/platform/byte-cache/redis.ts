import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { openBytes, SealError, type SealedPlace, sealBytes } from '../secrets.js';
import { type ByteCache, VALUE_BYTES_MAX } from './byte-cache.js';

/** A request does not wait longer for what it can make itself. */
const ANSWER_MS_MAX = 100;

/**
 * Bytes that several nodes share, sealed: Redis sees no word of them. While it is away nothing is
 * found and nothing is kept.
 */
export class RedisByteCache implements ByteCache {
  private readonly redis: Redis;
  private isAway = false;

  constructor(
    url: string,
    private readonly secret: string,
    private readonly log: Logger,
  ) {
    this.redis = new Redis(url, {
      commandTimeout: ANSWER_MS_MAX,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      keyPrefix: 'gw:bytes:',
    });
    this.redis.on('error', (error) => this.lost(error));
    this.redis.on('ready', () => {
      this.isAway = false;
    });
  }

  async get(key: string): Promise<Buffer | undefined> {
    if (this.redis.status !== 'ready') return undefined;
    try {
      const sealed = await this.redis.getBuffer(key);
      return sealed ? openBytes(this.secret, placeOf(key), sealed) : undefined;
    } catch (error) {
      // Of another secret: as good as not there.
      if (!(error instanceof SealError)) this.lost(error);
      return undefined;
    }
  }

  put(key: string, bytes: Buffer, keepMs: number): void {
    if (this.redis.status !== 'ready' || bytes.length > VALUE_BYTES_MAX) return;
    const sealed = sealBytes(this.secret, placeOf(key), bytes);
    this.redis.set(key, sealed, 'PX', keepMs).catch((error) => this.lost(error));
  }

  async close(): Promise<void> {
    this.redis.disconnect();
  }

  private lost(error: unknown): void {
    if (!this.isAway) this.log.warn({ err: error }, 'redis is away: no kept answers are found');
    this.isAway = true;
  }
}

function placeOf(key: string): SealedPlace {
  return { tenantId: null, table: 'byte_cache', field: 'value', row: key };
}
