import { Redis } from 'ioredis';
import type { Logger } from 'pino';
import {
  type Admission,
  type Counters,
  type Limit,
  SLOT_RETRY_MS,
  TOKENS_MISSING_MIN,
} from './counters.js';
import { MemoryCounters } from './memory.js';

/**
 * What both scripts share. A bucket lives until it is full again, since a missing one counts as
 * full; `now` never runs backwards for a bucket, whatever the clock of Redis does.
 */
const BUCKET = `
local t = redis.call('TIME')
local now = t[1] * 1000 + math.floor(t[2] / 1000)
local function tokensOf(key, limit)
  local b = redis.call('HMGET', key, 't', 'at')
  local waited = math.max(0, now - (tonumber(b[2]) or now))
  return math.min(limit, (tonumber(b[1]) or limit) + waited * limit / 60000)
end
local function untilFull(limit, tokens)
  return math.ceil((limit - tokens) * 60000 / limit)
end
local function keepTokens(key, limit, tokens)
  redis.call('HSET', key, 't', string.format('%.17g', tokens), 'at', now)
  redis.call('PEXPIRE', key, untilFull(limit, tokens) + 1000)
end`;

/**
 * All limits of a request in one step, by the clock of Redis. KEYS: one a limit. ARGV: for each
 * limit kind, limit, points, slot and lease in ms. Answers the refused index (0 for none), the
 * wait in ms, then remaining and reset of each.
 */
const TAKE = `${BUCKET}
local left = {}
local refused, wait = 0, 0
for i, key in ipairs(KEYS) do
  local a = (i - 1) * 5
  local limit, points = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if ARGV[a + 1] == 'rate' then
    left[i] = tokensOf(key, limit)
    local missing = math.min(points, limit) - left[i]
    if refused == 0 and missing > ${TOKENS_MISSING_MIN} then
      refused = i
      wait = math.ceil(missing * 60000 / limit)
    end
  else
    redis.call('ZREMRANGEBYSCORE', key, '-inf', now)
    left[i] = limit - redis.call('ZCARD', key)
    if refused == 0 and left[i] < 1 then
      refused = i
      wait = ${SLOT_RETRY_MS}
    end
  end
end
local out = { refused, wait }
for i, key in ipairs(KEYS) do
  local a = (i - 1) * 5
  local limit, points = tonumber(ARGV[a + 2]), tonumber(ARGV[a + 3])
  if ARGV[a + 1] == 'rate' then
    if refused == 0 then left[i] = left[i] - points end
    keepTokens(key, limit, left[i])
    out[#out + 1] = math.max(0, math.floor(left[i]))
    out[#out + 1] = untilFull(limit, left[i])
  else
    if refused == 0 then
      local lease = tonumber(ARGV[a + 5])
      redis.call('ZADD', key, now + lease, ARGV[a + 4])
      if redis.call('PTTL', key) < lease then redis.call('PEXPIRE', key, lease) end
      left[i] = left[i] - 1
    end
    out[#out + 1] = math.max(0, left[i])
    out[#out + 1] = 0
  end
end
return out`;

const ADJUST = `${BUCKET}
local limit = tonumber(ARGV[1])
local tokens = math.min(limit, tokensOf(KEYS[1], limit) + tonumber(ARGV[2]))
keepTokens(KEYS[1], limit, tokens)
return 1`;

/** How long a request waits for Redis. */
const ANSWER_MS_MAX = 100;
/** When a command that nobody waits for any more counts as lost. */
const GIVE_UP_MS = 2_000;

interface Scripts {
  gwTake(keyCount: number, ...rest: (string | number)[]): Promise<number[]>;
  gwAdjust(keyCount: number, ...rest: (string | number)[]): Promise<number>;
}

/** Counters that several nodes share. While Redis is away each node counts for itself. */
export class RedisCounters implements Counters {
  private readonly redis: Redis & Scripts;
  private readonly fallback = new MemoryCounters();
  private down = false;

  constructor(
    url: string,
    private readonly log: Logger,
  ) {
    const redis = new Redis(url, {
      commandTimeout: GIVE_UP_MS,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      keyPrefix: 'gw:limit:',
    });
    redis.on('error', (error) => this.lost(error));
    redis.on('ready', () => this.found());
    redis.defineCommand('gwTake', { lua: TAKE });
    redis.defineCommand('gwAdjust', { lua: ADJUST });
    this.redis = redis as Redis & Scripts;
  }

  /** Resolves when Redis can be asked, or after the given time without it. */
  async ready(waitMs = 1_000): Promise<void> {
    if (this.redis.status === 'ready') return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, waitMs);
      this.redis.once('ready', () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  async take(limits: readonly Limit[]): Promise<Admission> {
    if (this.redis.status !== 'ready') return this.fallback.take(limits);
    const keys = limits.map((limit) => limit.key);
    const values = limits.flatMap((limit) =>
      limit.kind === 'rate'
        ? ['rate', limit.perMinute, limit.points, '', 0]
        : ['slot', limit.limit, 1, limit.slot, limit.leaseMs],
    );
    try {
      const answer = await inTime(this.redis.gwTake(keys.length, ...keys, ...values));
      this.found();
      return admission(limits, answer);
    } catch (error) {
      this.lost(error);
      return this.fallback.take(limits);
    }
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
  }

  private found(): void {
    if (this.down) this.log.info('redis answers again: limits are shared between nodes');
    this.down = false;
  }

  private lost(error: unknown): void {
    if (!this.down) this.log.warn({ err: error }, 'redis is away: each node limits for itself');
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
