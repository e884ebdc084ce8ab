import type { Tokenizer } from '../../catalog/providers/tokenizer.js';
import { beginningOf } from '../firewall/cut.js';
import type { SandboxChat, SandboxTool } from './sandbox-request.js';
import { instanceOf } from './schema-instance.js';

/** A call of a function by the answer. */
export interface AnswerCall {
  readonly name: string;
  /** JSON text that is valid for the parameters of the function. */
  readonly arguments: string;
}

/** One choice of an answer: a text or calls. */
export interface AnswerChoice {
  readonly text: string | null;
  readonly calls: readonly AnswerCall[];
  readonly finishReason: 'stop' | 'length' | 'tool_calls';
  readonly outputTokens: number;
}

/** Tokens that a call costs beside its name and arguments. */
const CALL_TOKENS = 4;
const REASONING_TOKENS: Readonly<Record<string, number>> = {
  minimal: 8,
  low: 32,
  medium: 96,
  high: 256,
};

/**
 * The choices that answer a request: a function of the request alone. A text repeats the last
 * message of the user, so that what was masked on the way can be seen to come back.
 * @throws SchemaWithoutInstance, PatternWithoutText for a schema that cannot be answered
 */
export function answerChoices(chat: SandboxChat, tokenizer: Tokenizer): AnswerChoice[] {
  const called = toolsToCall(chat);
  const hint = lastText(chat, 'user');
  if (called.length > 0) {
    const calls = called.map((tool) => ({
      name: tool.name,
      arguments: JSON.stringify(instanceOf(tool.parameters ?? { type: 'object' }, hint)),
    }));
    const outputTokens = calls.reduce(
      (sum, call) => sum + CALL_TOKENS + tokenizer.count(call.name + call.arguments),
      0,
    );
    const choice = { text: null, calls, finishReason: 'tool_calls', outputTokens } as const;
    return Array.from({ length: chat.choices }, () => choice);
  }
  return Array.from({ length: chat.choices }, (_, index) =>
    cut(textOf(chat, hint, index), chat, tokenizer),
  );
}

/** Reasoning tokens of an answer: by the effort that was asked for, none when none was. */
export function reasoningTokens(chat: SandboxChat): number {
  const wanted = REASONING_TOKENS[chat.reasoningEffort ?? ''] ?? 0;
  return Math.min(wanted, Math.max(0, (chat.outputTokensMax ?? wanted + 1) - 1));
}

/** Forced tools are called; with `auto` those whose name or words the user's message holds. */
function toolsToCall(chat: SandboxChat): readonly SandboxTool[] {
  const { toolChoice, tools } = chat;
  if (toolChoice === 'none') return [];
  if (typeof toolChoice === 'object') {
    return tools.filter((tool) => tool.name === toolChoice.name).slice(0, 1);
  }
  const answered = chat.messages.at(-1)?.role === 'tool';
  const fitting = tools.filter((tool) => fits(tool, lastText(chat, 'user').toLowerCase()));
  if (toolChoice === 'auto' && (answered || fitting.length === 0)) return [];
  const called = fitting.length > 0 ? fitting : tools.slice(0, 1);
  return chat.parallelToolCalls ? called : called.slice(0, 1);
}

const WORD_LENGTH_MIN = 4;

function fits(tool: SandboxTool, text: string): boolean {
  const name = tool.name.toLowerCase();
  if (text.includes(name)) return true;
  const words = tool.name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-zа-яё\d]+/);
  return words.some((word) => word.length >= WORD_LENGTH_MIN && text.includes(word));
}

function textOf(chat: SandboxChat, hint: string, index: number): string {
  const format = chat.responseFormat;
  if (typeof format === 'object') return JSON.stringify(instanceOf(format.schema, hint));
  const last = chat.messages.at(-1);
  const said = last?.role === 'tool' ? last.text : hint;
  if (format === 'json_object') return JSON.stringify({ simulated: true, echo: said });
  const russian = /[а-яё]/i.test(said);
  const images = chat.messages.reduce((sum, message) => sum + message.images, 0);
  const parts = [
    russian ? 'Имитация ответа.' : 'Simulated answer.',
    russian ? `Вы написали: ${said}` : `You wrote: ${said}`,
    ...(images === 0 ? [] : [russian ? `Изображений: ${images}.` : `Images: ${images}.`]),
    ...(index === 0 ? [] : [russian ? `Вариант ${index + 1}.` : `Variant ${index + 1}.`]),
  ];
  return parts.join(' ');
}

/** Cuts a text at the first stop sequence, then at the limit of output tokens. */
function cut(text: string, chat: SandboxChat, tokenizer: Tokenizer): AnswerChoice {
  const stops = chat.stop.map((stop) => (stop === '' ? -1 : text.indexOf(stop)));
  const first = Math.min(...stops.filter((at) => at >= 0), text.length);
  const kept = text.slice(0, first);
  const limit = (chat.outputTokensMax ?? Number.POSITIVE_INFINITY) - reasoningTokens(chat);
  const tokens = tokenizer.encode(kept);
  if (tokens.length <= limit) {
    return { text: kept, calls: [], finishReason: 'stop', outputTokens: tokens.length };
  }
  // A cut inside a character would leave half of it, which decodes to U+FFFD.
  const shortened = tokenizer.decode(tokens.slice(0, limit)).replace(/\uFFFD+$/, '');
  return {
    text: beginningOf(kept, shortened.length),
    calls: [],
    finishReason: 'length',
    outputTokens: limit,
  };
}

function lastText(chat: SandboxChat, role: string): string {
  return chat.messages.findLast((message) => message.role === role)?.text ?? '';
}
