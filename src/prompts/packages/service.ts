import type { Prisma, Prompt, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { Sealable } from '../../kernel/canonical.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { appendEntry } from '../../records/journals.js';
import { lockOwn, requireOwn } from '../../records/own.js';
import { contentHashOf, readContent } from './content.rules.js';
import { HAPPENING_FIELDS, PROMPT_JOURNAL } from './journal.js';
import { withNewVersion } from './lifecycle.rules.js';
import { packageFaults } from './package.rules.js';
import { PACKAGE_INPUT, VERSION_INPUT } from './tables.js';
import { PROMPT_BOUNDS, PROMPT_STATUSES, type PromptContent } from './vocabulary.js';

/**
 * Creates a prompt package; where the input states a part of a version, the first one is written
 * too.
 * @throws invalid_request with every fault, not_found for an unknown context policy,
 * prompt_key_taken
 */
export async function createPrompt(ctx: AuthorizedCtx, input: GivenValues): Promise<Prompt> {
  const { promptKey, ownerTeam, useCase, contextPolicy, ...parts } = inputValues(
    PACKAGE_INPUT.fields,
    input,
  );
  const named = { promptKey, ownerTeam, useCase, contextPolicy };
  const isStated = Object.values(parts).some((part) => part !== null);
  const content = isStated ? readContent({ ...parts, template: parts.template ?? '' }) : undefined;
  failOnFaults([...packageFaults(named), ...(content?.faults ?? [])]);
  const policy = await policyNamed(ctx, contextPolicy);
  return change(ctx, { action: 'promptCreate', subject: 'Prompt' }, async (tx) => {
    const { tenantId, id: createdBy } = ctx.who;
    const id = newId('Prompt');
    const texts = { ownerTeam: ownerTeam?.trim() ?? null, useCase: useCase?.trim() ?? null };
    const data = { id, tenantId, promptKey, ...texts, ...policy, createdBy };
    const { count } = await tx.prompt.createMany({ data, skipDuplicates: true });
    const param = 'input.promptKey';
    if (count === 0) fail('prompt_key_taken', { values: { key: promptKey }, param });
    const empty = await requireOwn(ctx, 'Prompt', id, { tx });
    if (content) await writeVersion(ctx, tx, empty, content.value);
    const prompt = content ? await requireOwn(ctx, 'Prompt', id, { tx }) : empty;
    return { result: prompt, id, after: snapshot(prompt), told: () => forget(ctx) };
  });
}

/**
 * Appends a version. Numbers are 1, 2, 3 without a gap, also where many are written at once.
 * @throws invalid_request with every fault, not_found
 */
export async function createPromptVersion(
  ctx: AuthorizedCtx,
  promptId: string,
  input: GivenValues,
): Promise<PromptVersion> {
  const { value, faults } = readContent(inputValues(VERSION_INPUT.fields, input));
  failOnFaults(faults);
  const name = { action: 'promptVersionCreate', subject: 'PromptVersion' };
  return change(ctx, name, async (tx) => {
    const prompt = await lockOwn(ctx, tx, 'Prompt', promptId, { param: 'promptId' });
    const row = await writeVersion(ctx, tx, prompt, value);
    const after = { version: row.version, content: value as unknown as Sealable };
    return { result: row, id: row.id, after, told: () => forget(ctx) };
  });
}

function forget(ctx: AuthorizedCtx): void {
  ctx.services.prompts.forget(ctx.who.tenantId);
}

/** What of a package is hashed into the audit trail. */
export function snapshot(prompt: Prompt): Sealable {
  const { promptKey, ownerTeam, useCase, contextPolicyId, contextPolicyName, status } = prompt;
  const { currentVersion, previousVersions } = prompt;
  const course = { currentVersion, previousVersions };
  const policy = { contextPolicyId, contextPolicyName };
  return { promptKey, ownerTeam, useCase, ...policy, status, ...course };
}

async function writeVersion(
  ctx: AuthorizedCtx,
  tx: Transaction,
  prompt: Prompt,
  content: PromptContent,
): Promise<PromptVersion> {
  const { id: promptId, tenantId } = prompt;
  const last = await tx.promptVersion.aggregate({
    where: { promptId, tenantId },
    _max: { version: true },
  });
  const version = (last._max.version ?? 0) + 1;
  const message = `A package has at most ${PROMPT_BOUNDS.versions} versions.`;
  const tooMany: Fault = { path: 'promptId', code: 'out_of_range', message };
  failOnFaults(version > PROMPT_BOUNDS.versions ? [tooMany] : []);
  const row = await tx.promptVersion.create({ data: rowOf(ctx, promptId, version, content) });
  await tx.promptStage.create({ data: { promptId, version, tenantId } });
  const status = prompt.currentVersion === null ? undefined : PROMPT_STATUSES.parse(prompt.status);
  const course = withNewVersion(prompt, status, version);
  const isCurrent = course.currentVersion === version;
  await tx.prompt.update({
    where: { id: promptId, tenantId },
    data: {
      currentVersion: course.currentVersion,
      previousVersions: [...course.previousVersions],
      ...(isCurrent ? { status: 'draft' } : {}),
    },
  });
  const body = sealedContent(HAPPENING_FIELDS, {
    version,
    from: null,
    to: 'draft',
    currentVersion: course.currentVersion ?? version,
    receiptId: null,
    reason: null,
    actorId: ctx.who.id,
  });
  const entry = { value: 'version_created', subject: promptId, body } as const;
  await appendEntry(ctx, PROMPT_JOURNAL, entry, { tx });
  return row;
}

function rowOf(ctx: AuthorizedCtx, promptId: string, version: number, content: PromptContent) {
  const { template, variables, outputSchema, modelVariants, dataClassMin, samples } = content;
  const asJson = (value: unknown) => value as Prisma.InputJsonObject;
  return {
    id: newId('PromptVersion'),
    tenantId: ctx.who.tenantId,
    promptId,
    version,
    template,
    variables: asJson(variables),
    ...(outputSchema === null ? {} : { outputSchema: asJson(outputSchema) }),
    modelVariants: asJson(modelVariants),
    dataClassMin,
    samples: asJson(samples),
    contentHash: new Uint8Array(contentHashOf(content)),
    createdBy: ctx.who.id,
  };
}

/** @throws not_found for an id, also for that of a policy of another tenant */
async function policyNamed(ctx: AuthorizedCtx, given: string | null | undefined) {
  if (given == null) return { contextPolicyId: null, contextPolicyName: null };
  const param = 'input.contextPolicy';
  if (isUuid(given)) await requireOwn(ctx, 'ContextPolicy', given, { param });
  if (isUuid(given)) return { contextPolicyId: given, contextPolicyName: null };
  const where = { name: given };
  const policy = await database(ctx).contextPolicy.findFirst({ where, orderBy: { id: 'desc' } });
  return { contextPolicyId: policy?.id ?? null, contextPolicyName: policy ? null : given };
}
