import type { ModelFacts } from '../../catalog/providers/model.js';
import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import { fail } from '../../kernel/errors/fail.js';
import type { JsonObject } from '../../kernel/json.js';
import {
  type Context,
  compile,
  lackingRoom,
  roomOf,
} from '../../routing/workloads/compile.rules.js';
import { COMPILE_OBJECTIVES } from '../../routing/workloads/vocabulary.js';
import type { InferenceRequest } from '../request.js';
import { JOINT_TOKENS, PatientCounter, promptTokens } from './count.js';
import { answerTokens, marginTokens } from './window.rules.js';
import type { CompiledContext, ContextWish } from './wish.js';

const [OBJECTIVE = ''] = COMPILE_OBJECTIVES.codes;
/** The part of a context that blocks are; the budget of the part is `tokens_max`. */
const COMPONENT = 'RETRIEVAL';
/** What frames the message of the kept blocks. */
const FRAME_TOKENS = 8;

/**
 * Chooses the blocks of a request for the window of a model, by the rule of the public compiler.
 * @throws context_cannot_compile, which names the MUST blocks and their tokens
 */
export async function compileContext(
  request: Pick<InferenceRequest, 'body' | 'size' | 'needs' | 'outputTokensMax'>,
  { blocks, tokensMax }: ContextWish,
  model: ModelFacts,
  outputTokensCap: number | undefined,
): Promise<CompiledContext> {
  const counter = new PatientCounter(await loadTokenizer());
  const { textTokens, mediaTokens } = await promptTokens(counter, request, model);
  const taken = FRAME_TOKENS + textTokens + mediaTokens;
  const items: Context['items'][number][] = [];
  for (const { id, text, priority, value = null } of blocks) {
    const tokens = JOINT_TOKENS + (await counter.count(text));
    items.push({ itemId: id, component: COMPONENT, tokens, priority, value });
  }
  const outputTokens = answerTokens(request, model, outputTokensCap);
  const safetyTokens = marginTokens(request, model);
  const budgets = tokensMax === undefined ? [] : [{ component: COMPONENT, tokensMax } as const];
  const windowTokens = model.contextWindow;
  const context = {
    windowTokens: windowTokens - taken,
    outputTokens,
    safetyTokens,
    budgets,
    items,
  };
  if (lackingRoom(context).length > 0) cannotCompile(context, tokensMax);
  return {
    compiled: compile(context),
    model: model.id,
    windowTokens,
    outputTokens,
    safetyTokens,
    promptTokens: taken,
    mediaTokens,
    objective: OBJECTIVE,
  };
}

/** So many blocks are named; the figures beside them are those of all. */
const NAMED_MAX = 20;

function cannotCompile(context: Context, tokensMax: number | undefined): never {
  const must = context.items.filter(({ priority }) => priority === 'MUST');
  const room = Math.min(roomOf(context), tokensMax ?? Number.POSITIVE_INFINITY);
  const named = must.slice(0, NAMED_MAX).map(({ itemId, tokens }) => `${itemId} (${tokens})`);
  const more = must.length > NAMED_MAX ? ` and ${must.length - NAMED_MAX} more` : '';
  return fail('context_cannot_compile', {
    values: {
      tokens: must.reduce((sum, { tokens }) => sum + tokens, 0),
      room,
      blocks: named.join(', ') + more,
    },
    param: 'gw_context.blocks',
    data: {
      gw_context: {
        verdict: 'CANNOT_COMPILE',
        room_tokens: room,
        must: must.map(({ itemId: id, tokens }) => ({ id, tokens })),
      },
    },
  });
}

/** The messages with the kept blocks as one message among them; the same where none is kept. */
export function withBlocks(
  messages: readonly JsonObject[],
  { blocks, role, position }: ContextWish,
  kept: ReadonlySet<string>,
): readonly JsonObject[] {
  const texts = blocks.flatMap(({ id, text }) => (kept.has(id) ? [text] : []));
  if (texts.length === 0) return messages;
  const lastUser = messages.findLastIndex((message) => message.role === 'user');
  const last = lastUser < 0 ? messages.length : lastUser;
  const at = position === 'start' ? 0 : last;
  return messages.toSpliced(at, 0, { role, content: texts.join(BETWEEN) });
}

/** What stands between two blocks. */
export const BETWEEN = '\n\n';
