/**
 * Where a scope stands after a decision: approved it goes on; a review that is not approved pauses
 * it, and a pause that is not approved stays.
 * @returns undefined where nothing changes
 */
export function afterDecision(status: string, decision: string): string | undefined {
  if (status === 'paused') return decision === 'approved' ? 'resumed' : undefined;
  if (status === 'under_review') return decision === 'approved' ? 'cleared' : 'paused';
  return undefined;
}
