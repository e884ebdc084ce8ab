import type { AuthorizedCtx } from '../../../graph/ctx.js';
import { fail } from '../../../kernel/errors/fail.js';
import { contentOf, requirePrompt, requireVersion } from '../stored.js';
import { type ContentDiff, diffContents } from './diff.rules.js';

/** Which versions are compared. */
export interface DiffOrder {
  /** Default: the version before `to`. */
  readonly from?: number | null;
  /** Default: the current version. */
  readonly to?: number | null;
}

/** The difference between two versions of a package. */
export interface PromptDifference extends ContentDiff {
  readonly promptId: string;
  readonly from: number;
  readonly to: number;
}

/**
 * Compares two versions of a package.
 * @throws not_found, prompt_without_version, prompt_no_previous_version
 */
export async function diffPrompt(
  ctx: AuthorizedCtx,
  promptId: string,
  order: DiffOrder,
): Promise<PromptDifference> {
  const { promptKey: key, currentVersion } = await requirePrompt(ctx, promptId);
  const to = order.to ?? currentVersion;
  if (to === null) return fail('prompt_without_version', { values: { key } });
  const after = await requireVersion(ctx, promptId, to, 'to');
  const from = order.from ?? to - 1;
  if (from === 0 && order.from == null) fail('prompt_no_previous_version', { values: { key } });
  const before = await requireVersion(ctx, promptId, from, 'from');
  return { promptId, from, to, ...diffContents(contentOf(before), contentOf(after)) };
}
