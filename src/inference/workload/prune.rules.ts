import { asObject, type JsonObject } from '../../kernel/json.js';

/** How much of the history of a conversation is kept; null bounds nothing. */
export interface HistoryBudget {
  readonly messagesMax: number | null;
  readonly tokensMax: number | null;
}

/** A conversation by its turns. */
export interface Turns {
  /**
   * Where the conversation can be cut, the latest first: each is the place of a message of the user
   * after which no result of a tool lacks its call. The first one begins the last turn.
   */
  readonly cuts: readonly number[];
  /** Whether the message at a place is before the last turn, and none of the system. */
  isHistory(at: number): boolean;
}

/** A conversation of which the oldest turns may be gone. */
export interface Pruned {
  /** The same list where nothing was dropped. */
  readonly messages: readonly JsonObject[];
  /** Messages of history before and after. */
  readonly historyMessages: number;
  readonly keptMessages: number;
}

/** What became of the history of a request, for its receipt and its usage row. */
export interface PrunedHistory extends Omit<Pruned, 'messages'> {
  /** Tokens of the kept messages; null where the contract bounds no tokens. */
  readonly keptTokens: number | null;
}

const SYSTEM = new Set<unknown>(['system', 'developer']);

/**
 * The turns of a conversation. A turn begins with a message of the user and is kept or dropped as a
 * whole: a call of a tool and its results are never parted.
 * @param fixed how many messages at the beginning are those of a prompt, and so no history
 */
export function turnsOf(messages: readonly JsonObject[], fixed: number): Turns {
  const calls = callsOf(messages);
  const cuts: number[] = [];
  let earliestCall = Number.POSITIVE_INFINITY;
  for (let at = messages.length - 1; at >= fixed; at -= 1) {
    const call = calls[at];
    if (call !== undefined && call >= fixed) earliestCall = Math.min(earliestCall, call);
    if (messages[at]?.role === 'user' && earliestCall >= at) cuts.push(at);
  }
  const [last = fixed] = cuts;
  const isHistory = (at: number) => at >= fixed && at < last && !SYSTEM.has(messages[at]?.role);
  return { cuts, isHistory };
}

/**
 * Drops the oldest turns until the others are within the budget. Messages of the system and of a
 * prompt and the last turn are always kept and do not count; the order stays. Pruning twice is
 * pruning once, and what is within the budget stays as it is.
 * @param tokensOf the tokens of the message at a place
 */
export function prune(
  messages: readonly JsonObject[],
  fixed: number,
  { messagesMax, tokensMax }: HistoryBudget,
  tokensOf: (at: number) => number,
): Pruned {
  const { cuts, isHistory } = turnsOf(messages, fixed);
  const [last = fixed] = cuts;
  let from = last;
  let keptMessages = 0;
  let tokens = 0;
  let historyMessages = 0;
  let fits = true;
  let count = 0;
  const candidates = new Set([...cuts, fixed]);
  for (let at = last - 1; at >= fixed; at -= 1) {
    if (isHistory(at)) {
      historyMessages += 1;
      count += 1;
      if (fits && tokensMax !== null) tokens += tokensOf(at);
    }
    fits &&= count <= (messagesMax ?? count) && tokens <= (tokensMax ?? tokens);
    if (fits && candidates.has(at)) {
      from = at;
      keptMessages = count;
    }
  }
  if (keptMessages === historyMessages) return { messages, historyMessages, keptMessages };
  const kept = messages.filter((_, at) => at >= from || !isHistory(at));
  return { messages: kept, historyMessages, keptMessages };
}

/** For each message that is a result of a tool the place of its call, where there is one before. */
function callsOf(messages: readonly JsonObject[]): readonly (number | undefined)[] {
  const places = new Map<unknown, number>();
  let lastFunctionCall: number | undefined;
  return messages.map(({ role, tool_calls, function_call, tool_call_id }, at) => {
    if (role === 'tool') return places.get(tool_call_id);
    if (role === 'function') return lastFunctionCall;
    if (Array.isArray(tool_calls)) {
      for (const each of tool_calls) places.set(asObject(each)?.id, at);
    }
    if (function_call != null) lastFunctionCall = at;
    return undefined;
  });
}
