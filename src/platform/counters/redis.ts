import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { ConfigError } from '../config.js';
import { projectRoot } from '../database/project-root.js';
import { briefError } from '../loggable-error.js';
import {
  type Admission,
  type Counters,
  type Limit,
  SLOT_RETRY_MS,
  TOKENS_MISSING_MIN,
  WINDOW_SECONDS,
} from './counters.js';
import { MemoryCounters } from './memory.js';
import { redisRefusal } from './redis-refusal.js';

/** A script of this folder, behind the figures and the bucket that all of them share. */
function script(name: string): string {
  const figures = { TOKENS_MISSING_MIN, SLOT_RETRY_MS, WINDOW_SECONDS };
  const known = Object.entries(figures).map(([figure, value]) => `local ${figure} = ${value}`);
  const folder = join(projectRoot(), 'src', 'platform', 'counters');
  const files = ['bucket', name].map((file) => readFileSync(join(folder, `${file}.lua`), 'utf8'));
  return [...known, ...files].join('\n');
}

/** How long a request waits for Redis. */
const ANSWER_MS_MAX = 100;
/** When a command that nobody waits for any more counts as lost. */
const GIVE_UP_MS = 2_000;

interface Scripts {
  gwTake(keyCount: number, ...rest: (string | number)[]): Promise<number[]>;
  gwCorrect(keyCount: number, ...rest: (string | number)[]): Promise<number>;
  gwAdjust(keyCount: number, ...rest: (string | number)[]): Promise<number>;
}

/**
 * Counters that several nodes share. While Redis is away each node counts for itself, or by those
 * counters that it has in Redis's place.
 */
export class RedisCounters implements Counters {
  private readonly redis: Redis & Scripts;
  private down = false;

  constructor(
    url: string,
    private readonly log: Logger,
    private readonly fallback: Counters = new MemoryCounters(),
  ) {
    const redis = new Redis(url, {
      commandTimeout: GIVE_UP_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      keyPrefix: 'gw:limit:',
    });
    redis.on('error', (error) => this.lost(error));
    redis.on('ready', () => this.found());
    redis.defineCommand('gwTake', { lua: script('take') });
    redis.defineCommand('gwAdjust', { lua: script('adjust') });
    redis.defineCommand('gwCorrect', { lua: script('correct') });
    this.redis = redis as Redis & Scripts;
  }

  /**
   * Resolves when Redis can be asked, or after the given time without it: nodes start while it is
   * away, as they go on without it.
   * @throws ConfigError when Redis is there and does not let this node in
   */
  async ready(waitMs = 1_000): Promise<void> {
    if (this.redis.status === 'ready') return;
    const { redis } = this;
    await new Promise<void>((resolve, reject) => {
      const judge = (error: unknown) => {
        const refusal = redisRefusal(error);
        if (refusal === undefined) return;
        reject(new ConfigError(refusal));
        end();
        redis.disconnect();
      };
      const end = () => {
        clearTimeout(timer);
        redis.off('ready', end).off('error', judge);
        resolve();
      };
      const timer = setTimeout(end, waitMs);
      redis.once('ready', end).on('error', judge);
    });
  }

  async take(limits: readonly Limit[]): Promise<Admission> {
    if (this.redis.status !== 'ready') return this.fallback.take(limits);
    const keys = limits.map((limit) => limit.key);
    const values = limits.flatMap(wordsOf);
    try {
      const answer = await inTime(this.redis.gwTake(keys.length, ...keys, ...values));
      this.found();
      const admitted = admission(limits, answer);
      if (!limits.some(({ kind }) => kind === 'window')) return admitted;
      const second = answer.at(-1) ?? 0;
      return { ...admitted, correct: (key, points) => this.correct(key, second, points) };
    } catch (error) {
      this.lost(error);
      return this.fallback.take(limits);
    }
  }

  private correct(key: string, second: number, points: number): void {
    if (this.redis.status !== 'ready') return;
    this.redis.gwCorrect(1, key, second, points).catch((error) => this.lost(error));
  }

  adjust(key: string, perMinute: number, points: number): void {
    this.fallback.adjust(key, perMinute, points);
    if (this.redis.status !== 'ready') return;
    this.redis.gwAdjust(1, key, perMinute, points).catch((error) => this.lost(error));
  }

  release(key: string, slot: string): void {
    this.fallback.release(key, slot);
    if (this.redis.status !== 'ready') return;
    this.redis.zrem(key, slot).catch((error) => this.lost(error));
  }

  async close(): Promise<void> {
    this.redis.disconnect();
    await this.fallback.close();
  }

  private found(): void {
    if (this.down) this.log.info('redis answers again: limits are shared between nodes');
    this.down = false;
  }

  private lost(error: unknown): void {
    if (!this.down)
      this.log.warn({ reason: briefError(error) }, 'redis is away: each node limits for itself');
    this.down = true;
  }
}

/**
 * The answer to a command, or a failure when it takes too long. Timers run before sockets are read:
 * after a stall of our own the answer may be there already, and Redis is not to blame.
 */
function inTime<T>(command: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => setImmediate(() => reject(new Error('redis did not answer in time')));
    const timer = setTimeout(late, ANSWER_MS_MAX);
    command.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** A limit as `take.lua` reads it. */
function wordsOf(limit: Limit): (string | number)[] {
  if (limit.kind === 'rate') {
    const { perMinute, points, needed = points } = limit;
    return ['rate', perMinute, points, needed, 0];
  }
  if (limit.kind === 'window') return ['window', limit.limit, limit.points, '', 0];
  return ['slot', limit.limit, 1, limit.slot, limit.leaseMs];
}

function admission(limits: readonly Limit[], answer: readonly number[]): Admission {
  const refused = answer[0] ?? 0;
  return {
    refused: refused === 0 ? undefined : refused - 1,
    retryAfterMs: answer[1] ?? 0,
    states: limits.map((limit, index) => ({
      limit: limit.kind === 'rate' ? limit.perMinute : limit.limit,
      remaining: answer[2 + index * 2] ?? 0,
      resetMs: answer[3 + index * 2] ?? 0,
    })),
  };
}
