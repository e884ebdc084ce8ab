import type { WorkspaceClaim } from '../../graph/ctx.js';
import { agreementOf, type Statement, statementOf } from './boundary.rules.js';

/** Requests of a caller in a project that named the same workspace, or none. */
export interface PastCalls {
  readonly keyId: string | null;
  readonly userId: string | null;
  readonly projectId: string;
  /** The workspace that the requests themselves named. */
  readonly named: string | null;
  readonly requests: number;
  readonly firstAt: Date;
  readonly lastAt: Date;
}

/** What may say which workspace a caller belongs to; null where it says none. */
export interface Belonging extends Omit<WorkspaceClaim, 'workspaceId'> {
  readonly workspaceId: string | null;
}

/** What is supposed to be otherwise. */
export interface Supposition {
  /** Whether every request needs a workspace. */
  readonly isRequired: boolean;
  /** The key, member or project that would belong to a workspace, or to none. */
  readonly moved: Pick<Belonging, 'kind' | 'id' | 'workspaceId'> | undefined;
}

/** Requests that would have been refused. */
export interface RefusedCalls extends PastCalls {
  readonly reason: 'workspace_required' | 'workspace_boundary';
  /** The two that name different workspaces; none where no workspace is named. */
  readonly contradiction: readonly Statement[];
}

/**
 * Which of the past requests would have been refused, by the rule that judges requests: what their
 * key, member and project would belong to, and what they named themselves, must agree.
 * @param belongingsOf what may say a workspace for the caller and the project of requests
 */
export function refusedOf(
  past: readonly PastCalls[],
  belongingsOf: (calls: PastCalls) => readonly Belonging[],
  { isRequired, moved }: Supposition,
): RefusedCalls[] {
  return past.flatMap((calls): RefusedCalls[] => {
    const claims = belongingsOf(calls).flatMap((each) => {
      const isMoved = moved?.kind === each.kind && moved.id === each.id;
      const workspaceId = isMoved ? moved.workspaceId : each.workspaceId;
      return workspaceId === null ? [] : [statementOf({ ...each, workspaceId })];
    });
    const { named } = calls;
    const statements =
      named === null ? claims : [...claims, { source: 'request', workspaceId: named }];
    const { contradiction } = agreementOf(statements);
    if (contradiction) return [{ ...calls, reason: 'workspace_boundary', contradiction }];
    if (statements.length > 0 || !isRequired) return [];
    return [{ ...calls, reason: 'workspace_required', contradiction: [] }];
  });
}
