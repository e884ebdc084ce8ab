import type { CompiledContext } from './wish.js';

/** `gw_context` of an answer: what was sent of the blocks, and why the others were not. */
export function contextReceipt(found: CompiledContext) {
  const { compiled, model, windowTokens, outputTokens, safetyTokens, promptTokens } = found;
  const droppedTokens = compiled.cut.reduce((sum, { tokens }) => sum + tokens, 0);
  return {
    verdict: compiled.verdict,
    objective: found.objective,
    window_model: model,
    window_tokens: windowTokens,
    output_tokens: outputTokens,
    safety_tokens: safetyTokens,
    prompt_tokens: promptTokens,
    room_tokens: compiled.roomTokens,
    tokens_before: compiled.usedTokens + droppedTokens,
    tokens_after: compiled.usedTokens,
    value: compiled.value,
    kept: compiled.kept,
    dropped: compiled.cut.map(({ itemId: id, tokens, reason }) => ({ id, tokens, reason })),
  };
}
