import type { UserBudget, WorkspaceInForce } from '../access/workspaces/workspace-memory.js';

/** The workspace that a request is made under, and who asks. */
export interface UsedWorkspace {
  readonly workspace: WorkspaceInForce;
  /** Undefined where the request names nobody. */
  readonly user: string | undefined;
  readonly department: string | undefined;
  /** True where the request names none: the caller belongs to it. */
  readonly isImplied: boolean;
  /** What the user may spend; undefined where users have no budgets. */
  readonly budget: UserBudget | undefined;
}
