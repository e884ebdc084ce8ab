import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineText } from '../../src/platform/access-log.js';

const AT = new Date('2026-03-01T10:00:00.123Z');

describe('a line of the access log', () => {
  it('is one JSON object in the form of the main log', () => {
    const line = {
      operation: 'ChatCompletionCreate',
      requestId: '0190b0f8-6c30-7009-8000-0123456789ab',
      tenantId: '0190b0f8-6c30-7001-8000-0123456789ab',
      traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
      status: 502,
      code: 'upstream_failed',
      elapsedMs: 12.345,
    };
    expect(JSON.parse(lineText(line, AT))).toEqual({
      level: 30,
      time: AT.toISOString(),
      ...line,
      elapsedMs: 12.3,
    });
  });

  it('leaves out what is not known, and is valid whatever a name holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.integer(), (operation, status) => {
        const line = { operation, status, requestId: undefined, tenantId: undefined, elapsedMs: 0 };
        const text = lineText(line, AT);
        expect(text).not.toContain('\n');
        const told = { level: 30, time: AT.toISOString(), operation, status, elapsedMs: 0 };
        expect(JSON.parse(text)).toEqual(told);
      }),
    );
  });
});
