import type { Principal, WorkspaceClaim } from '../../graph/ctx.js';

/** Something that says which workspace a request is made under. */
export interface Statement {
  /** What says it, such as `key agent` or `header x-gw-workspace`. */
  readonly source: string;
  readonly workspaceId: string;
}

/** Two statements that name different workspaces. */
export type Contradiction = readonly [Statement, Statement];

/** What statements come to together. */
export type Agreement =
  | { readonly workspaceId: string | undefined; readonly contradiction?: undefined }
  | { readonly contradiction: Contradiction };

/** A claim as an error names it. */
export function statementOf({ kind, name, workspaceId }: WorkspaceClaim): Statement {
  return { source: `${kind} ${name}`, workspaceId };
}

/** The one workspace that all statements name, if any; otherwise the first two that differ. */
export function agreementOf(statements: readonly Statement[]): Agreement {
  const [first] = statements;
  const other = first && statements.find((each) => !isSameId(each.workspaceId, first.workspaceId));
  if (first && other) return { contradiction: [first, other] };
  return { workspaceId: first?.workspaceId };
}

/** Ids are the same in capitals and in small letters. */
export function isSameId(one: unknown, other: string): boolean {
  return typeof one === 'string' && one.toLowerCase() === other.toLowerCase();
}

/**
 * What keeps a caller within a workspace in all that it reads and changes. The rule of a project
 * binds the requests of members, who belong to no project themselves, and nothing else of theirs.
 */
export function claimsOnCaller({ kind, workspaces = [] }: Principal): readonly WorkspaceClaim[] {
  return kind === 'user' ? workspaces.filter((each) => each.kind !== 'project') : workspaces;
}
