import { describe, expect, it } from 'vitest';
import type { AuthorizedCtx, Principal } from '../../src/graph/ctx.js';
import { identifiedAnew } from '../../src/inference/identified-anew.js';

function principal(controls: string, permission: string): Principal {
  const permissions = new Set([permission]);
  return { kind: 'api_key', id: 'k-1', controls, permissions } as unknown as Principal;
}

/** A request under a key, which inherits all but its key, as the doors make it. */
function keyedRequest(now: Principal) {
  const services = { authenticator: { identify: async () => ({ who: now }) } };
  const request = {
    requestId: 'r-1',
    authorization: 'Bearer key',
    who: principal('1', 'inference.run'),
    services,
    transport: { address: '203.0.113.9' },
    get signal() {
      return AbortSignal.abort();
    },
  } as unknown as AuthorizedCtx;
  const keyed = { effectId: 'e-1', repeated: false, rootId: 'e-1' };
  const own: AuthorizedCtx = Object.create(request, { keyed: { value: keyed } });
  return { request, own, keyed };
}

describe('a request whose caller is identified anew', () => {
  it('is the same in all but its caller, also where it inherits what it is made of', async () => {
    const now = principal('2', 'inference.run');
    const { request, own, keyed } = keyedRequest(now);
    const { who, services, transport, requestId, signal, keyed: key } = await identifiedAnew(own);
    expect({ who, services, transport, requestId, key, aborted: signal.aborted }).toEqual({
      who: now,
      services: request.services,
      transport: request.transport,
      requestId: 'r-1',
      key: keyed,
      aborted: true,
    });
  });

  it('is refused where its caller may not infer any more', async () => {
    const { own } = keyedRequest(principal('2', 'usage.read'));
    await expect(identifiedAnew(own)).rejects.toMatchObject({ code: 'permission_denied' });
  });
});
