import { isDuplicate } from '../../access/auth/registration.js';
import { ownProject } from '../../access/policies/service.js';
import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { ProviderMigration } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputValues } from '../../kernel/fields/faults.js';
import { newId } from '../../kernel/ids.js';
import { next } from '../../kernel/lifecycle.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { afterCommit } from '../../records/scope.js';
import { aliasTargetFaults, proposedAliases, removeAliasesOf, storedAliases } from './aliases.js';
import { stored } from './columns.js';
import { projectFaults } from './input.rules.js';
import { MIGRATION_LIFECYCLE } from './lifecycle.js';
import { rollbackPlanOf } from './rollback.rules.js';
import { snapshot, takeStep, writeNote } from './step.js';
import { PROJECT_INPUT, ROLLBACK_PLAN } from './tables.js';
import { MODES, STATUSES } from './vocabulary.js';

/**
 * Creates a migration, with a plan of the way back.
 * @throws invalid_request with every fault, migration_key_taken, capability_roadmap for a mode
 * that is not built, not_found for a foreign project
 */
export async function createProject(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ProviderMigration> {
  const draft = inputValues(PROJECT_INPUT.fields, given);
  const { migrationKey, sourceProvider, sourceBaseUrl, sourceModel, useCases, mode } = draft;
  const targetModel = draft.targetModel ?? AUTO_MODEL;
  failOnFaults([
    ...projectFaults(draft),
    ...modelFaults(ctx, 'input.targetModel', targetModel),
    ...(await aliasTargetFaults(ctx, draft.aliases ?? [])),
  ]);
  if (MODES.find(mode)?.status === 'roadmap') {
    fail('capability_roadmap', { values: { capability: `The mode ${mode}` }, param: 'mode' });
  }
  const projectId = await ownProject(ctx, draft.projectId);
  const source = { sourceProvider, sourceBaseUrl, sourceModel };
  const plan = rollbackPlanOf({ ...source, useCases, wish: draft.rollback ?? {} });
  const data = {
    id: newId('ProviderMigration'),
    tenantId: ctx.who.tenantId,
    migrationKey,
    projectId,
    ...source,
    targetModel,
    useCases: [...useCases],
    mode,
    requiresApproval: draft.requiresApproval,
    aliases: storedAliases(proposedAliases(ctx, draft, targetModel)),
    rollbackPlan: stored(ROLLBACK_PLAN.fields, plan),
    createdBy: ctx.who.id,
  };
  const name = { action: 'providerMigrationCreate', subject: 'ProviderMigration' };
  const create = change(ctx, name, async (tx) => {
    const result = await tx.providerMigration.create({ data });
    const { id, status } = result;
    await writeNote(ctx, tx, id, 'created', { status });
    return { result, id, after: snapshot(result) };
  });
  return create.catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return fail('migration_key_taken', { values: { key: migrationKey }, param: 'migration_key' });
  });
}

/** The fault of a model name that no callable model or alias has. */
export function modelFaults(ctx: AuthorizedCtx, path: string, model: string): Fault[] {
  const { registry } = ctx.services;
  if (registry.models.has(model) || registry.aliases.has(model)) return [];
  const near = registry.near(model);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/models.';
  const message = `${path}: no model is named ${model.slice(0, 100)}. ${hint}`;
  return [{ path, code: 'unknown_value', message }];
}

/** The migration with this id. @throws not_found */
export function getProject(ctx: AuthorizedCtx, id: string): Promise<ProviderMigration> {
  return requireOwn(ctx, 'ProviderMigration', id);
}

/**
 * Rolls a migration back, from whatever status; its plan says what the clients must do. A cutover
 * that waits in the approval queue is void, and the aliases that the cutover created are removed.
 * @throws not_found
 */
export async function rollBackProject(ctx: AuthorizedCtx, id: string): Promise<ProviderMigration> {
  const after = await takeStep(ctx, 'providerMigrationRollback', id, async (tx, before) => {
    const { status: from } = before;
    const status = next(MIGRATION_LIFECYCLE, STATUSES.parse(from), 'roll_back');
    const aliases_removed = await removeAliasesOf(ctx, tx, before);
    const body = { from, aliases_removed };
    return { data: { status, approvalId: null }, note: 'rolled_back', body };
  });
  afterCommit(ctx, () => ctx.services.modelAliases.forget(ctx.who.tenantId));
  return after;
}
