import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type AccessLine, lineText } from '../../src/platform/access-log.js';
import { type Customer, newCustomer, rest, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app?.stop());

const MARKER = 'ivan.petrov';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

/** What is no `traceparent`: other lengths, signs, versions and forms. */
const OTHER_FORMS = [
  MARKER,
  `00-${MARKER}-${SPAN}-01`,
  `00-${TRACE}-${MARKER}-01`,
  `00-${TRACE}-${SPAN}-${MARKER}`,
  `00-${TRACE}-${SPAN}-01-${MARKER}`,
  `ff-${TRACE}-${SPAN}-01`,
  `00-${TRACE.toUpperCase()}-${SPAN}-01`,
  `00-${TRACE.slice(1)}-${SPAN}-01`,
  `00-${TRACE}0-${SPAN}-01`,
  `00-${'0'.repeat(32)}-${SPAN}-01`,
  `00-${TRACE}-${'0'.repeat(16)}-01`,
  `${TRACE}`,
  `00-${TRACE}-${SPAN}`,
  `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`,
];

/** The lines of one request in each voice, as the log would write them. */
async function linesUnder(headers: Record<string, string>): Promise<string[]> {
  const write = vi.spyOn(app.server.services.access, 'write');
  const credential = customer.token;
  try {
    await rest(app, 'GET', `/v1/gw/prompts?limit=1&${MARKER}=1`, { credential, headers });
    const body = { query: `query ${MARKER.replace('.', '_')} { rateLimit { remaining } }` };
    await rest(app, 'POST', '/graphql', { credential, headers, body });
    await expect.poll(() => write.mock.calls.length).toBe(2);
    return write.mock.calls.map(([line]) => lineText(line as AccessLine, new Date()));
  } finally {
    write.mockRestore();
  }
}

describe('a line of the access log', () => {
  it.each(OTHER_FORMS)('has nothing of the traceparent %s', async (traceparent) => {
    for (const line of await linesUnder({ traceparent, tracestate: `vendor=${MARKER}` })) {
      expect(Object.keys(JSON.parse(line))).not.toContain('traceId');
      expect(line.toLowerCase()).not.toContain(TRACE.slice(1, 16));
      expect(line).not.toMatch(/ivan.petrov/);
    }
  });

  it('has of the caller the id of the trace and nothing else', async () => {
    const given = {
      traceparent: `00-${TRACE}-${SPAN}-01`,
      tracestate: `vendor=${MARKER}`,
      'user-agent': MARKER,
      'x-request-id': MARKER,
    };
    for (const line of await linesUnder(given)) {
      expect(JSON.parse(line)).toEqual({
        level: 30,
        time: expect.any(String),
        operation: expect.any(String),
        requestId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tenantId: customer.tenantId,
        traceId: TRACE,
        status: expect.any(Number),
        ...(JSON.parse(line).code && { code: expect.any(String) }),
        elapsedMs: expect.any(Number),
      });
      expect(line).not.toMatch(/ivan.petrov/);
      expect(line).not.toContain(SPAN);
    }
  });
});
