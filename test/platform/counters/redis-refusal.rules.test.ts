import { describe, expect, it } from 'vitest';
import { redisRefusal } from '../../../src/platform/counters/redis-refusal.js';

describe('a Redis that does not let a node in', () => {
  it.each([
    ['NOAUTH Authentication required.', 'NOAUTH'],
    ['WRONGPASS invalid username-password pair or user is disabled.', 'WRONGPASS'],
    ['ERR DB index is out of range', 'ERR DB index'],
  ])('%s is told in one line', (message, said) => {
    const line = `the Redis of REDIS_URL refuses its login (${said}); correct REDIS_URL`;
    expect(redisRefusal(new Error(message))).toBe(line);
  });

  it.each([
    'connect ECONNREFUSED 127.0.0.1:6379',
    'ERR max number of clients reached',
    'LOADING Redis is loading the dataset in memory',
  ])('%s passes by itself, and nodes start meanwhile', (message) => {
    expect(redisRefusal(new Error(message))).toBeUndefined();
  });
});
