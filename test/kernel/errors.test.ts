import { describe, expect, it } from 'vitest';
import { ERRORS, type ErrorCode, errorRow } from '../../src/kernel/errors/catalogue.js';
import {
  type Fault,
  fail,
  failOnFaults,
  GatewayError,
  toGatewayError,
} from '../../src/kernel/errors/fail.js';
import { fault } from '../../src/kernel/errors/faults.js';
import type { ErrorRow, ErrorType } from '../../src/kernel/errors/row.js';
import { thrownBy } from './thrown.js';

const ROWS = Object.entries(ERRORS) as [ErrorCode, ErrorRow][];

/** The statuses that clients expect with each type. */
const STATUSES: Record<ErrorType, readonly number[]> = {
  invalid_request_error: [400, 405, 406, 408, 413, 415, 422, 501],
  authentication_error: [401],
  permission_error: [403],
  not_found_error: [404],
  conflict_error: [409],
  insufficient_quota: [402],
  rate_limit_error: [429],
  upstream_error: [502, 503, 504],
  api_error: [500, 503],
};

describe('the error catalogue', () => {
  it('says of every code what it means, why it happens and what helps, in sentences', () => {
    for (const [code, row] of ROWS) {
      expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
      expect([code, row.cause]).toEqual([code, expect.stringMatching(/^\S.{9,}[.]$/)]);
      expect([code, row.fix.length]).toEqual([code, expect.toSatisfy((count) => count > 0)]);
      for (const fix of row.fix) {
        expect([code, fix]).toEqual([code, expect.stringMatching(/^[A-Z].{9,}[.]$/)]);
      }
      const isPassedOn = /^\{\w+\}$/.test(row.message);
      const message = isPassedOn ? row.message : expect.stringMatching(/^["A-Z{].{9,}[.}]$/);
      expect([code, row.message]).toEqual([code, message]);
    }
  });

  it('has for every type only the statuses that belong to it', () => {
    const wrong = ROWS.filter(([, { type, status }]) => !STATUSES[type].includes(status));
    expect(wrong.map(([code]) => code)).toEqual([]);
  });

  it('fills the places of every message by name', () => {
    for (const [code, row] of ROWS) {
      const places = [...row.message.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '');
      const values = Object.fromEntries(places.map((name) => [name, `<${name}>`]));
      const { message } = new GatewayError(code, { values });
      expect(message).toBe(row.message.replaceAll('{', '<').replaceAll('}', '>'));
    }
  });
});

describe('a failure', () => {
  it('carries the row of its code and what the thrower adds', () => {
    const cause = new Error('inner');
    const details = { values: { subject: 'policy', id: 'x' }, param: 'id', cause };
    const thrown = thrownBy(() => fail('not_found', details));
    expect(thrown).toBeInstanceOf(GatewayError);
    expect(thrown).toMatchObject({
      name: 'GatewayError',
      code: 'not_found',
      message: 'No policy with id x.',
      status: 404,
      row: errorRow('not_found'),
      details,
      cause,
    });
  });

  it('takes values as they are: as no pattern, and with their own braces', () => {
    const values = { subject: '$& {id}', id: "$'" };
    expect(new GatewayError('not_found', { values }).message).toBe("No $& {id} with id $'.");
  });

  it('writes zero, and shows a place that nobody filled', () => {
    expect(new GatewayError('rate_limit_requests', { values: { limit: 0 } }).message).toBe(
      'More than 0 requests a minute.',
    );
    expect(new GatewayError('rate_limit_requests').message).toBe(
      'More than {limit} requests a minute.',
    );
  });

  it('names each fault of a request, but no more than 200', () => {
    const faults = Array.from({ length: 1_000 }, (_, at) =>
      fault(`items.${at}`, 'invalid', 'is odd'),
    );
    const failure = thrownBy(() => failOnFaults(faults)) as GatewayError;
    expect(failure.details.faults).toEqual(faults.slice(0, 200));
    expect(failure.message).toMatch(
      /^200 fields are wrong: items\.0 is odd\. .*items\.199 is odd\.$/,
    );
  });

  it('may keep the status of an upstream', () => {
    const { status, row } = new GatewayError('upstream_rejected', { status: 422 });
    expect([status, row.status]).toEqual([422, 400]);
  });
});

describe('faults of a request', () => {
  const faults: Fault[] = [
    { path: 'model', code: 'missing', message: 'model is missing.' },
    { path: 'n', code: 'wrong_type', message: 'n is no integer.' },
  ];

  it('are all named, and the first is the parameter', () => {
    expect(thrownBy(() => failOnFaults(faults))).toMatchObject({
      code: 'invalid_request',
      message: '2 fields are wrong: model is missing. n is no integer.',
      details: { param: 'model', faults },
    });
    expect(thrownBy(() => failOnFaults(faults.slice(1)))).toMatchObject({
      message: 'n is no integer.',
      details: { param: 'n', faults: faults.slice(1) },
    });
  });

  it('without one nothing fails', () => {
    expect(failOnFaults([])).toBeUndefined();
  });
});

describe('anything that was thrown', () => {
  it('is shown as it is when it has a code', () => {
    const error = new GatewayError('missing_credential');
    expect(toGatewayError(error)).toBe(error);
  });

  it('is otherwise an internal error that keeps its cause and tells nothing of it', () => {
    for (const thrown of [new Error('password=1'), 'text', undefined, null, 7]) {
      const shown = toGatewayError(thrown);
      expect(shown).toMatchObject({ code: 'internal_error', status: 500, cause: thrown });
      expect(shown.message).toBe(ERRORS.internal_error.message);
    }
  });
});
