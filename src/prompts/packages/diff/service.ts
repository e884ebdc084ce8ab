import type { AuthorizedCtx } from '../../../graph/ctx.js';
import { fail } from '../../../kernel/errors/fail.js';
import { openedContent, type SealedContent } from '../../../kernel/fields/sealed.js';
import { requireOwn } from '../../../records/own.js';
import { contentOf, requireVersion } from '../stored.js';
import { MODEL_VARIANT } from '../tables.js';
import type { ModelVariant } from '../vocabulary.js';
import { diffContents, type NamedChange } from './diff.rules.js';
import type { PromptDifference } from './tables.js';

/** Which versions are compared. */
export interface DiffOrder {
  /** Default: the version before `to`. */
  readonly from?: number | null;
  /** Default: the current version. */
  readonly to?: number | null;
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
  const { promptKey: key, currentVersion } = await requireOwn(ctx, 'Prompt', promptId, {
    param: 'promptId',
  });
  const to = order.to ?? currentVersion;
  if (to === null) return fail('prompt_without_version', { values: { key } });
  const after = await requireVersion(ctx, promptId, to, 'to');
  const from = order.from ?? to - 1;
  if (from === 0 && order.from == null) fail('prompt_no_previous_version', { values: { key } });
  const before = await requireVersion(ctx, promptId, from, 'from');
  const { variables, modelVariants, ...parts } = diffContents(contentOf(before), contentOf(after));
  const names = (named: readonly { readonly name: string }[]) => named.map(({ name }) => name);
  return {
    promptId,
    from,
    to,
    ...parts,
    addedVariables: names(variables.added),
    removedVariables: names(variables.removed),
    changedVariables: variables.changed,
    addedModelVariants: names(modelVariants.added),
    removedModelVariants: names(modelVariants.removed),
    changedModelVariants: modelVariants.changed.map(shownChange),
  };
}

function shownChange({ name, members, before, after }: NamedChange<ModelVariant>) {
  const opened = (kept: ModelVariant) =>
    openedContent(MODEL_VARIANT.fields, kept as unknown as SealedContent);
  return { name, members, before: opened(before), after: opened(after) };
}
