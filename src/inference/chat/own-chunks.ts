import { asObject, type JsonObject } from '../../kernel/json.js';
import type { Bill, Prepared } from '../bill.js';
import type { FirewallOut } from '../firewall/inspect.js';
import { receipts } from '../stages/receipts.js';
import { wireUsage } from '../upstream/usage.js';
import { writeEvent } from './event-text.js';

/**
 * The last chunk of a stream: no choices, the usage where it was asked for, and the receipts.
 * @param found what the firewall saw in the answer; undefined where nobody has looked at it
 */
export function lastChunk(
  prepared: Prepared,
  frame: JsonObject,
  bill: Bill,
  found: FirewallOut | undefined,
): Buffer {
  const { usage, rawUsage, deployment } = bill.outcome;
  const stated = bill.overrun || bill.outcome.usageFault ? undefined : asObject(rawUsage);
  const told = prepared.request.includeUsage ? { usage: { ...stated, ...wireUsage(usage) } } : {};
  return writeEvent({
    object: 'chat.completion.chunk',
    ...frame,
    model: deployment.id,
    choices: [],
    ...told,
    ...receipts(prepared, bill, found),
  });
}

/** The chunk that ends the choices of an answer that passed its own limit. */
export function limitedChunk(
  { request }: Prepared,
  frame: JsonObject,
  model: string,
  choices: readonly unknown[],
): Buffer {
  return writeEvent({
    object: 'chat.completion.chunk',
    ...frame,
    model,
    choices: choices.map((index) => ({
      index,
      delta: {},
      logprobs: null,
      finish_reason: 'length',
    })),
    ...(request.includeUsage ? { usage: null } : {}),
  });
}
