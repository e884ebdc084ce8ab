import type { Prisma, Prompt, PromptVersion } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import type { Sealable } from '../../kernel/canonical.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { isUuid, newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { appendEntry } from '../../records/journals.js';
import { afterCommit, inTransaction } from '../../records/scope.js';
import { type ContentInput, contentHashOf, readContent } from './content.rules.js';
import { type HappeningBody, PROMPT_JOURNAL } from './journal.js';
import { withNewVersion } from './lifecycle.rules.js';
import { type NewPackage, packageFaults } from './package.rules.js';
import { lockPrompt } from './stored.js';
import { PROMPT_BOUNDS, type PromptContent, type PromptStatus } from './vocabulary.js';

/** A new package; with a template its first version is written too. */
export interface PackageDraft extends NewPackage {
  /**
   * The id of a context policy, or the name of one: then the latest of that name. A name that no
   * policy has yet is kept, and the gate fails until one has it.
   */
  readonly contextPolicy?: string | null;
  readonly firstVersion?: ContentInput;
}

/**
 * Creates a prompt package.
 * @throws invalid_request with every fault, not_found for an unknown context policy,
 * prompt_key_taken
 */
export async function createPrompt(ctx: AuthorizedCtx, draft: PackageDraft): Promise<Prompt> {
  const { promptKey, ownerTeam, useCase, contextPolicy, firstVersion } = draft;
  const content = firstVersion && readContent(firstVersion);
  failOnFaults([...packageFaults(draft), ...(content?.faults ?? [])]);
  const policy = await policyNamed(ctx, contextPolicy);
  const created = await inTransaction(ctx, {}, async (tx) => {
    const { tenantId, id: createdBy } = ctx.who;
    const id = newId('Prompt');
    const texts = { ownerTeam: ownerTeam?.trim() ?? null, useCase: useCase?.trim() ?? null };
    const data = { id, tenantId, promptKey, ...texts, ...policy, createdBy };
    const { count } = await tx.prompt.createMany({ data, skipDuplicates: true });
    if (count === 0) fail('prompt_key_taken', { values: { key: promptKey }, param: 'prompt_key' });
    let prompt = await tx.prompt.findFirstOrThrow({ where: { id, tenantId } });
    if (content) {
      await writeVersion(ctx, tx, prompt, content.value);
      prompt = await tx.prompt.findFirstOrThrow({ where: { id, tenantId } });
    }
    const subject = { subject: 'Prompt', subjectId: id };
    await audit(ctx, tx, { action: 'promptCreate', ...subject, after: snapshot(prompt) });
    return prompt;
  });
  tellIgnored(ctx, content?.ignored ?? []);
  afterCommit(ctx, () => ctx.services.prompts.forget(ctx.who.tenantId));
  return created;
}

/**
 * Appends a version. Numbers are 1, 2, 3 without a gap, also where many are written at once.
 * @throws invalid_request with every fault, not_found
 */
export async function createPromptVersion(
  ctx: AuthorizedCtx,
  promptId: string,
  input: ContentInput,
): Promise<PromptVersion> {
  const { value: content, faults, ignored } = readContent(input);
  failOnFaults(faults);
  const written = await inTransaction(ctx, {}, async (tx) => {
    const prompt = await lockPrompt(ctx, tx, promptId);
    const version = await writeVersion(ctx, tx, prompt, content);
    await audit(ctx, tx, {
      action: 'promptVersionCreate',
      subject: 'PromptVersion',
      subjectId: version.id,
      after: { version: version.version, content: content as unknown as Sealable },
    });
    return version;
  });
  tellIgnored(ctx, ignored);
  afterCommit(ctx, () => ctx.services.prompts.forget(ctx.who.tenantId));
  return written;
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
  const max = PROMPT_BOUNDS.versions;
  const message = `A package has at most ${max} versions.`;
  failOnFaults(version > max ? [{ path: 'id', code: 'out_of_range', message }] : []);
  const row = await tx.promptVersion.create({ data: rowOf(ctx, promptId, version, content) });
  await tx.promptStage.create({ data: { promptId, version, tenantId } });
  const status = prompt.currentVersion === null ? undefined : (prompt.status as PromptStatus);
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
  const body: HappeningBody = {
    version,
    from: null,
    to: 'draft',
    current_version: course.currentVersion ?? version,
    receipt_id: null,
    reason: null,
    actor_id: ctx.who.id,
  };
  const entry = { value: 'version_created', subject: promptId, body } as const;
  await appendEntry(ctx, PROMPT_JOURNAL, entry, { tx });
  return row;
}

function rowOf(ctx: AuthorizedCtx, promptId: string, version: number, content: PromptContent) {
  const { template, variables, outputSchema, modelVariants, samples } = content;
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
    samples: asJson(samples),
    contentHash: new Uint8Array(contentHashOf(content)),
    createdBy: ctx.who.id,
  };
}

/** @throws not_found for an id, also for that of a policy of another tenant */
async function policyNamed(ctx: AuthorizedCtx, given: string | null | undefined) {
  if (given == null) return { contextPolicyId: null, contextPolicyName: null };
  const where = isUuid(given) ? { id: given } : { name: given };
  const policy = await database(ctx).contextPolicy.findFirst({ where, orderBy: { id: 'desc' } });
  if (policy) return { contextPolicyId: policy.id, contextPolicyName: null };
  if (!isUuid(given)) return { contextPolicyId: null, contextPolicyName: given };
  return fail('not_found', {
    values: { subject: 'context policy', id: given },
    param: 'context_policy',
  });
}

/** Members inside JSON that nothing takes are ignored and named, as fields of the body are. */
function tellIgnored(ctx: AuthorizedCtx, ignored: readonly string[]): void {
  if (ignored.length === 0) return;
  const names = ignored.slice(0, IGNORED_MAX).map((name) => name.replace(/[^\w.-]/g, '?'));
  ctx.transport.headers['x-gw-ignored-fields'] = names.join(', ');
}

const IGNORED_MAX = 20;
