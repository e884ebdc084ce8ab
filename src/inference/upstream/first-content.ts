/**
 * Tells whether a chunk gives the customer anything: text, a tool call, a refusal, reasoning, or
 * the reason why the answer ended. A chunk with only the role gives nothing, so that after it
 * another deployment may still answer.
 * @throws SyntaxError when the payload is not JSON
 */
export function chunkHasContent(payload: string): boolean {
  const chunk = JSON.parse(payload) as { choices?: unknown };
  if (!Array.isArray(chunk.choices)) return false;
  return chunk.choices.some((choice: unknown) => {
    if (typeof choice !== 'object' || choice === null) return false;
    const { delta, finish_reason: finishReason } = choice as Record<string, unknown>;
    if (typeof finishReason === 'string') return true;
    if (typeof delta !== 'object' || delta === null) return false;
    return Object.entries(delta).some(([name, value]) => name !== 'role' && isFilled(value));
  });
}

function isFilled(value: unknown): boolean {
  if (value === null || value === undefined || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}
