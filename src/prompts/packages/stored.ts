import { CLASSES_OF_DATA } from '../../access/policies/tables.js';
import type { Prompt, PromptStage, PromptVersion } from '../../generated/prisma/client.js';
import type { Ctx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail } from '../../kernel/errors/fail.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../kernel/fields/sealed.js';
import type { Stage } from './lifecycle.rules.js';
import { DECLARED_FIELDS } from './tables.js';
import {
  type ModelVariant,
  PROMPT_STATUSES,
  type PromptContent,
  type PromptSamples,
  type PromptVariable,
} from './vocabulary.js';

/** The content of a stored version. */
export function contentOf(row: PromptVersion): PromptContent {
  return {
    template: row.template,
    variables: row.variables as unknown as readonly PromptVariable[],
    outputSchema: row.outputSchema as PromptContent['outputSchema'],
    modelVariants: row.modelVariants as unknown as readonly ModelVariant[],
    dataClassMin: leastClassOf(row),
    samples: samplesOf(row),
  };
}

/** The least class that a stored version states. */
export function leastClassOf({ dataClassMin }: Pick<PromptVersion, 'dataClassMin'>) {
  return dataClassMin === null ? null : CLASSES_OF_DATA.parse(dataClassMin);
}

const NO_SAMPLES: PromptSamples = { variables: {}, outputs: [], context_pack: null };

/** What a stored version declares, under the names of its tables. */
export function declaredBy({
  variables,
  modelVariants,
}: Pick<PromptVersion, 'variables' | 'modelVariants'>): ValuesOf<typeof DECLARED_FIELDS> {
  const kept = { variables, model_variants: modelVariants } as SealedContent;
  return openedContent(DECLARED_FIELDS, kept);
}

/** The samples of a stored version; none where they were erased. */
export function samplesOf({ samples }: Pick<PromptVersion, 'samples'>): PromptSamples {
  return (samples ?? NO_SAMPLES) as unknown as PromptSamples;
}

/** Where a stored version stands. */
export function stageOf({ version, status, supersededBy }: PromptStage): Stage {
  return { version, status: PROMPT_STATUSES.parse(status), supersededBy };
}

/**
 * A version of a package by its number.
 * @throws not_found
 */
export async function requireVersion(
  ctx: Ctx,
  promptId: string,
  version: number,
  param = 'version',
): Promise<PromptVersion> {
  const where = { promptId, version };
  const row = await database(ctx).promptVersion.findFirst({ where });
  return row ?? noVersion(version, param);
}

/**
 * The version that a promotion takes: the one that is named, else the latest that is not
 * deprecated.
 * @throws not_found, prompt_without_version
 */
export async function stageToPromote(
  tx: Pick<Transaction, 'promptStage'>,
  { id: promptId, tenantId, promptKey: key, currentVersion }: Prompt,
  version: number | null | undefined,
): Promise<Stage> {
  if (currentVersion === null) return fail('prompt_without_version', { values: { key } });
  const where = { promptId, tenantId };
  const latest = { version: 'desc' } as const;
  if (version != null) {
    const named = await tx.promptStage.findFirst({ where: { ...where, version } });
    return named ? stageOf(named) : noVersion(version, 'version');
  }
  // Where all are deprecated, the latest of them refuses by the state table.
  const row =
    (await tx.promptStage.findFirst({
      where: { ...where, status: { not: 'deprecated' } },
      orderBy: latest,
    })) ?? (await tx.promptStage.findFirstOrThrow({ where, orderBy: latest }));
  return stageOf(row);
}

function noVersion(version: number, param: string): never {
  return fail('not_found', { values: { subject: 'prompt version', id: version }, param });
}
