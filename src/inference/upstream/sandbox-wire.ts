import { createHash } from 'node:crypto';
import type { UsageVector } from '../../catalog/providers/price.js';
import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import type { AnswerCall, AnswerChoice } from './sandbox-answer.js';
import type { SandboxChat } from './sandbox-request.js';
import { type WireUsage, wireUsage } from './usage.js';

/** An answer before it is written: the same for whole answers and streams. */
export interface SandboxAnswer {
  readonly id: string;
  readonly created: number;
  readonly chat: SandboxChat;
  readonly choices: readonly AnswerChoice[];
  /** Undefined where the request asked the sandbox to keep its figures to itself. */
  readonly usage: UsageVector | undefined;
}

const TEXT_PIECE = /\s*\S{1,24}|\s+/gu;
const ARGUMENTS_PIECE = /[\s\S]{1,24}/gu;

/** The identity of the answer to a body: the same body has the same one. */
export function answerId(body: Buffer): string {
  return createHash('sha256').update(body).digest('hex').slice(0, 24);
}

/** The answer as one JSON document. */
export function wholeAnswer(answer: SandboxAnswer, tokenizer: Tokenizer): unknown {
  return {
    ...headOf(answer, 'chat.completion'),
    choices: answer.choices.map((choice, index) => ({
      index,
      message: {
        role: 'assistant',
        content: choice.text,
        refusal: null,
        ...(choice.calls.length === 0
          ? {}
          : { tool_calls: choice.calls.map((call, at) => wireCall(answer, index, at, call)) }),
      },
      logprobs: logprobsOf(answer.chat, choice.text, tokenizer),
      finish_reason: choice.finishReason,
    })),
    usage: wireOf(answer),
  };
}

/** The answer as the payloads of its stream, without `[DONE]`. */
export function* streamedAnswer(answer: SandboxAnswer, tokenizer: Tokenizer): Generator<unknown> {
  const { chat } = answer;
  const head = headOf(answer, 'chat.completion.chunk');
  const usage = chat.includeUsage ? { usage: null } : {};
  const chunk = (index: number, delta: unknown, finishReason: string | null, text = '') => ({
    ...head,
    choices: [
      {
        index,
        delta,
        logprobs: text === '' ? null : logprobsOf(chat, text, tokenizer),
        finish_reason: finishReason,
      },
    ],
    ...usage,
  });
  for (const [index, choice] of answer.choices.entries()) {
    const content = choice.text === null ? null : '';
    yield chunk(index, { role: 'assistant', content, refusal: null }, null);
    for (const piece of choice.text?.match(TEXT_PIECE) ?? []) {
      yield chunk(index, { content: piece }, null, piece);
    }
    for (const [at, call] of choice.calls.entries()) {
      const opened = { index: at, ...wireCall(answer, index, at, { ...call, arguments: '' }) };
      yield chunk(index, { tool_calls: [opened] }, null);
      for (const piece of call.arguments.match(ARGUMENTS_PIECE) ?? []) {
        yield chunk(index, { tool_calls: [{ index: at, function: { arguments: piece } }] }, null);
      }
    }
    yield chunk(index, {}, choice.finishReason);
  }
  if (chat.includeUsage && answer.usage) yield { ...head, choices: [], usage: wireOf(answer) };
}

/** What an answer and each chunk of one begin with. */
function headOf({ id, created, chat: { model } }: SandboxAnswer, object: string) {
  const identity = { id: `chatcmpl-${id}`, object, created, model };
  return { ...identity, simulated: true, system_fingerprint: 'sandbox' };
}

function wireOf(answer: SandboxAnswer): WireUsage | undefined {
  return answer.usage && wireUsage(answer.usage);
}

function wireCall(answer: SandboxAnswer, choice: number, at: number, call: AnswerCall) {
  return {
    id: `call_${answer.id.slice(0, 20)}${choice}${at}`,
    type: 'function',
    function: { name: call.name, arguments: call.arguments },
  };
}

/** Certainty of a token that nobody computed: the same for all, as this answer is simulated. */
const LOGPROB = -0.1;
const LOGPROB_STEP = -1;

function logprobsOf(chat: SandboxChat, text: string | null, tokenizer: Tokenizer): unknown {
  if (!chat.logprobs || text === null) return null;
  const content = tokenizer.encode(text).map((token) => {
    const own = tokenEntry(tokenizer, token, LOGPROB);
    const others = Array.from({ length: Math.max(0, chat.topLogprobs - 1) }, (_, rank) =>
      tokenEntry(tokenizer, rank, LOGPROB + (rank + 1) * LOGPROB_STEP),
    );
    return { ...own, top_logprobs: chat.topLogprobs === 0 ? [] : [own, ...others] };
  });
  return { content, refusal: null };
}

function tokenEntry(tokenizer: Tokenizer, token: number, logprob: number) {
  const text = tokenizer.decode([token]);
  return { token: text, logprob, bytes: [...Buffer.from(text, 'utf8')] };
}
