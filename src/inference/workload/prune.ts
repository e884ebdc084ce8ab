import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import type { Capability } from '../../catalog/providers/vocabulary.js';
import type { JsonObject } from '../../kernel/json.js';
import type { WorkloadTerms } from '../../routing/workloads/contract-cache.js';
import { messageTokens, PatientCounter } from '../context/count.js';
import type { InferenceRequest } from '../request.js';
import { chatSize, type RequestSize } from '../request-size.js';
import { type HistoryBudget, prune, turnsOf } from './prune.rules.js';

/** Whether the contract of a request bounds its history, which has not been pruned yet. */
export function isToPrune({ workload, pruned }: InferenceRequest): boolean {
  return workload !== undefined && pruned === undefined && budgetOf(workload.terms) !== undefined;
}

/**
 * The request without the oldest turns that its contract leaves out; the same object where no
 * contract bounds the history. Tokens are counted from the newest message back, in turns with
 * everything else that the process does, and no further than the budget reaches.
 */
export function prunedByContract(
  request: InferenceRequest,
): InferenceRequest | Promise<InferenceRequest> {
  const budget = request.workload && budgetOf(request.workload.terms);
  if (!budget) return request;
  if (budget.tokensMax === null) return pruned(request, budget, new Map());
  return counted(request, budget).then((tokens) => pruned(request, budget, tokens));
}

function budgetOf({
  historyMessagesMax: messagesMax,
  historyTokensMax: tokensMax,
}: WorkloadTerms): HistoryBudget | undefined {
  return messagesMax === null && tokensMax === null ? undefined : { messagesMax, tokensMax };
}

/** Tokens of messages of the history by their places, as far as the budget reaches. */
async function counted(
  { body, prompt }: InferenceRequest,
  { messagesMax, tokensMax }: HistoryBudget,
): Promise<ReadonlyMap<number, number>> {
  const messages = body.messages as readonly JsonObject[];
  const fixed = prompt?.messages ?? 0;
  const { cuts, isHistory } = turnsOf(messages, fixed);
  const counter = new PatientCounter(await loadTokenizer());
  const tokens = new Map<number, number>();
  let sum = 0;
  for (let at = (cuts[0] ?? fixed) - 1; at >= fixed; at -= 1) {
    const message = messages[at];
    if (!message || !isHistory(at)) continue;
    if (sum > (tokensMax ?? sum) || tokens.size >= (messagesMax ?? messages.length)) break;
    const each = await messageTokens(counter, message);
    tokens.set(at, each);
    sum += each;
  }
  return tokens;
}

function pruned(
  request: InferenceRequest,
  budget: HistoryBudget,
  tokens: ReadonlyMap<number, number>,
): InferenceRequest {
  const given = request.body.messages as readonly JsonObject[];
  const fixed = request.prompt?.messages ?? 0;
  // What was not counted lies beyond the budget.
  const tokensOf = (at: number) => tokens.get(at) ?? Number.POSITIVE_INFINITY;
  const { messages, ...figures } = prune(given, fixed, budget, tokensOf);
  const keptTokens =
    budget.tokensMax === null ? null : sumOf([...tokens.values()].slice(0, figures.keptMessages));
  const found = { ...request, pruned: { ...figures, keptTokens } };
  if (messages === given) return found;
  const body = { ...request.body, messages };
  const size = chatSize(body, Buffer.byteLength(JSON.stringify(body)));
  const needs = request.needs.filter((need) => isStillNeeded(need, size));
  return { ...found, body, size, needs, stripped: true };
}

/** Images and sound may be gone with the messages that had them. */
function isStillNeeded(need: Capability, size: RequestSize): boolean {
  if (need === 'vision') return size.images + size.imagesLow > 0;
  return need !== 'audio' || size.audioBytes > 0;
}

function sumOf(figures: readonly number[]): number {
  return figures.reduce((sum, each) => sum + each, 0);
}
