import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type HistoryBudget, prune } from '../../../src/inference/workload/prune.rules.js';
import type { JsonObject } from '../../../src/kernel/json.js';

const IDS = ['a', 'b', 'c'] as const;
const MESSAGE: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.constantFrom<JsonObject>(
    { role: 'system' },
    { role: 'developer' },
    { role: 'user' },
    { role: 'user' },
    { role: 'assistant' },
  ),
  fc
    .subarray([...IDS], { minLength: 1 })
    .map((ids) => ({ role: 'assistant', tool_calls: ids.map((id) => ({ id })) })),
  fc.constantFrom(...IDS).map((id) => ({ role: 'tool', tool_call_id: id })),
  fc.constantFrom<JsonObject>({ role: 'assistant', function_call: {} }, { role: 'function' }),
);
/** Each message is an object that no other one equals by identity. */
const CONVERSATION: fc.Arbitrary<readonly JsonObject[]> = fc
  .array(MESSAGE, { maxLength: 24 })
  .map((messages) => messages.map((message, at) => ({ ...message, at })));
const BUDGET = fc.record({
  messagesMax: fc.option(fc.nat(10)),
  tokensMax: fc.option(fc.nat(40)),
});
const CASE = fc.tuple(CONVERSATION, fc.nat(3), BUDGET).map(([messages, fixed, budget]) => ({
  messages,
  fixed: Math.min(fixed, messages.length),
  budget,
}));

const tokensAt = (messages: readonly JsonObject[]) => (at: number) =>
  (Number(messages[at]?.at) % 7) + 1;

interface Given {
  readonly messages: readonly JsonObject[];
  readonly fixed: number;
  readonly budget: HistoryBudget;
}
const pruneBy = ({ messages, fixed, budget }: Given) =>
  prune(messages, fixed, budget, tokensAt(messages));

/** Results of tools, each with whether its call stands before it. */
function results(messages: readonly JsonObject[]): ReadonlyMap<unknown, boolean> {
  const seen = new Set<unknown>();
  const found = new Map<unknown, boolean>();
  for (const { role, at, tool_calls, function_call, tool_call_id } of messages) {
    for (const each of (tool_calls as { id: string }[] | undefined) ?? []) seen.add(each.id);
    if (function_call) seen.add('function');
    if (role === 'tool') found.set(at, seen.has(tool_call_id));
    if (role === 'function') found.set(at, seen.has('function'));
  }
  return found;
}

describe('pruning', () => {
  it('keeps the system, the prompt and all from the last message of the user on, in order', () => {
    fc.assert(
      fc.property(CASE, (given) => {
        const { messages, fixed } = given;
        const kept = pruneBy(given).messages;
        const last = messages.findLastIndex(({ role }) => role === 'user');
        const must = messages.filter(
          ({ role }, at) =>
            at < fixed || role === 'system' || role === 'developer' || (last >= 0 && at >= last),
        );
        expect(kept).toEqual(messages.filter((each) => kept.includes(each)));
        expect(must.filter((each) => !kept.includes(each))).toEqual([]);
      }),
    );
  });

  it('never leaves a result of a tool without the call that it had', () => {
    fc.assert(
      fc.property(CASE, (given) => {
        const before = results(given.messages);
        const after = results(pruneBy(given).messages);
        for (const [at, hasCall] of after) expect([at, hasCall]).toEqual([at, before.get(at)]);
      }),
    );
  });

  it('drops the oldest messages only, up to one of the user', () => {
    fc.assert(
      fc.property(CASE, (given) => {
        const { messages, fixed } = given;
        const kept = new Set(pruneBy(given).messages);
        const isSystem = ({ role }: JsonObject) => role === 'system' || role === 'developer';
        const open = messages.slice(fixed).filter((each) => !isSystem(each));
        const first = open.findIndex((each) => kept.has(each));
        const dropped = open.filter((each) => !kept.has(each));
        if (dropped.length === 0) return;
        expect(dropped).toEqual(open.slice(0, first));
        expect(open[first]?.role).toBe('user');
      }),
    );
  });

  it('keeps no more of the history than the budget allows, and all of one within it', () => {
    fc.assert(
      fc.property(CASE, (given) => {
        const { messages, budget } = given;
        const pruned = pruneBy(given);
        const { keptMessages, historyMessages } = pruned;
        const dropped = messages.length - pruned.messages.length;
        expect(historyMessages - keptMessages).toBe(dropped);
        expect(keptMessages).toBeLessThanOrEqual(budget.messagesMax ?? keptMessages);
        const isWithin =
          historyMessages <= (budget.messagesMax ?? historyMessages) && budget.tokensMax === null;
        if (isWithin) expect(pruned.messages).toBe(messages);
      }),
    );
  });

  it('is the same twice as once', () => {
    fc.assert(
      fc.property(CASE, (given) => {
        const once = pruneBy(given).messages;
        expect(pruneBy({ ...given, messages: once }).messages).toBe(once);
      }),
    );
  });

  it('under a smaller budget keeps a part of what a larger one keeps', () => {
    fc.assert(
      fc.property(CASE, fc.nat(5), fc.nat(20), (given, fewer, less) => {
        const { messagesMax, tokensMax } = given.budget;
        const budget = {
          messagesMax: messagesMax === null ? fewer : Math.max(0, messagesMax - fewer),
          tokensMax: tokensMax === null ? null : Math.max(0, tokensMax - less),
        };
        const larger = pruneBy(given).messages;
        const smaller = pruneBy({ ...given, budget }).messages;
        expect(smaller.filter((each) => !larger.includes(each))).toEqual([]);
      }),
    );
  });
});
