import type { FirewallOut } from '../firewall/inspect.js';
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
export type CutEnd = Extract<StreamEnd, { readonly kind: 'failed' | 'unread' }>;

/** True where the client reads the end as a failure. */
export function isCut(end: StreamEnd): end is CutEnd {
  return end.kind === 'failed' || end.kind === 'unread';
}

/** How a stream ends that outlasts the time which a stopping node gives. */
export const NODE_STOPS: FlowEnd = {
  kind: 'failed',
  message: 'the gateway is stopping; what was produced so far is charged',
};
