import { GatewayError } from '../../kernel/errors/fail.js';
import type { FirewallOut } from '../firewall/inspect.js';
import { ATTEMPT_ERRORS } from '../upstream/call.js';
import type { FlowEnd } from './stream-flow.js';

/**
 * How a stream ended: `unread` where the firewall has not read all of an answer that is rewritten,
 * which is our fault. `found` is undefined where nobody has looked at an answer that passed.
 */
export type StreamEnd =
  | Exclude<FlowEnd, { readonly kind: 'done' | 'limited' }>
  | { readonly kind: 'done' | 'limited'; readonly found: FirewallOut | undefined }
  | { readonly kind: 'unread'; readonly fault: unknown };

/** An end that the client reads as a failure. */
export type CutEnd = Extract<StreamEnd, { readonly kind: 'failed' | 'stopped' | 'unread' }>;

/** True where the client reads the end as a failure. */
export function isCut(end: StreamEnd): end is CutEnd {
  return end.kind === 'failed' || end.kind === 'stopped' || end.kind === 'unread';
}

/**
 * What the client of a stream that was cut is told. Of a provider's failure only the kind is: its
 * inner words are not for customers.
 * @param provider the name of the provider that answered
 * @param isFree whether nothing is charged
 */
export function failureOfCut(end: CutEnd, provider: string, isFree: boolean): unknown {
  const cut = (reason: string, charged: string) =>
    new GatewayError('stream_cut', {
      values: { reason, charged: isFree ? 'Nothing is charged.' : charged },
    });
  switch (end.kind) {
    case 'failed':
      return cut(`${provider}: ${ATTEMPT_ERRORS[end.error].told}`, PRODUCED_CHARGED);
    case 'stopped':
      return cut('the gateway is stopping', PRODUCED_CHARGED);
    case 'unread': {
      const { fault } = end;
      // What reading fails with says of the money what is true of a whole answer.
      const isTooLong = fault instanceof GatewayError && fault.code === 'upstream_failed';
      if (!isTooLong) return fault;
      return cut(String(fault.details.values?.reason), 'What was delivered is charged.');
    }
  }
}

const PRODUCED_CHARGED = 'What was produced is charged.';
