import { describe, expect, it } from 'vitest';
import { keptTrace, traceKept, traceOf, traceparent } from '../../src/kernel/trace.rules.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('a trace', () => {
  it.each([
    [`00-${TRACE}-${PARENT}-01`, true],
    [`00-${TRACE}-${PARENT}-00`, false],
    [`00-${TRACE}-${PARENT}-03`, true],
    [`cc-${TRACE}-${PARENT}-01`, true],
    [`cc-${TRACE}-${PARENT}-01-what-is-to-come`, true],
  ])('is read from %s', (header, sampled) => {
    expect(traceOf(header, undefined)).toEqual({ traceId: TRACE, parentId: PARENT, sampled });
  });

  it.each([
    undefined,
    '',
    `00-${TRACE}-${PARENT}`,
    `00-${TRACE}-${PARENT}-01-more`,
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `cc-${TRACE}-${PARENT}-01.more`,
    ` 00-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01\n`,
  ])('is none by %j', (header) => {
    expect(traceOf(header, undefined)).toBeUndefined();
    expect(traceOf(header, 'a=1')).toBeUndefined();
  });

  it('is carried on under a parent of its own', () => {
    const header = traceparent({ traceId: TRACE, sampled: true }, 'b7ad6b7169203331');
    expect(header).toBe(`00-${TRACE}-b7ad6b7169203331-01`);
    expect(traceOf(header, undefined)).toMatchObject({ traceId: TRACE, sampled: true });
  });
});

describe('the state of a trace', () => {
  const stateOf = (state: string | readonly string[]) =>
    traceOf(`00-${TRACE}-${PARENT}-01`, state)?.state;
  const long = `k=${'v'.repeat(126)}`;
  const members = (count: number) => Array.from({ length: count }, (_, at) => `k${at}=v`).join(',');

  it.each([
    'rojo=00f067aa0ba902b7,congo=t61rcWkgMzE',
    'tenant@system=a b !"#$%',
    'a=1,,b=2 , c=3',
    members(32),
    `${long},a=${'v'.repeat(256)}`,
    `a=${'v'.repeat(256)}`,
  ])('is carried on as it came: %s', (state) => {
    expect(stateOf(state)).toBe(state);
  });

  it.each([
    '',
    ' , ',
    'novalue',
    '=v',
    'a=',
    'a=b=c',
    'A=1',
    'a=ключ',
    'a=1\u0000',
    'a=1,a=2',
    `a=${'v'.repeat(257)}`,
    `${'k'.repeat(257)}=v`,
    members(33),
    `a=${'v'.repeat(20_000)}`,
    'a=1\r\nauthorization: stolen',
  ])('is left out where it is not valid: %j', (state) => {
    const header = `00-${TRACE}-${PARENT}-01`;
    expect(traceOf(header, state)).toEqual({ traceId: TRACE, parentId: PARENT, sampled: true });
  });

  it('loses whole members beyond 512 characters, long ones first and the last first', () => {
    const short = Array.from({ length: 18 }, (_, at) => `key${at}=${'v'.repeat(20)}`);
    const tooLong = `long=${'v'.repeat(200)}`;
    expect(stateOf([tooLong, ...short].join(','))).toBe(short.join(','));
    const medium = Array.from({ length: 10 }, (_, at) => `key${at}=${'v'.repeat(100)}`);
    expect(stateOf(medium.join(','))).toBe(medium.slice(0, 4).join(','));
    expect(stateOf(Array.from({ length: 2 }, () => 'a=1'))).toBeUndefined();
    expect(stateOf(['a=1', 'b=2'])).toBe('a=1,b=2');
  });
});

describe('a trace that is kept for later', () => {
  const id = '0190b0f8-6c30-7009-8000-0123456789ab';

  it.each([true, false])('comes back as it was, sampled or not: %s', (sampled) => {
    expect(traceKept(keptTrace({ traceId: TRACE, sampled }), id)).toEqual({
      traceId: TRACE,
      sampled,
    });
  });

  it.each([null, '', 'no trace', `${TRACE}x-01`])('begins anew where none was kept: %j', (kept) => {
    expect(traceKept(kept, id)).toEqual({ traceId: id.replaceAll('-', ''), sampled: false });
  });
});
