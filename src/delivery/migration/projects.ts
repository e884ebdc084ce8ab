import { isDuplicate } from '../../access/auth/registration.js';
import { ownProject } from '../../access/policies/service.js';
import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import type { MigrationProject, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { inTransaction } from '../../records/scope.js';
import { projectFaults } from './project.rules.js';
import { type RollbackPlan, type RollbackWish, rollbackPlanOf } from './rollback.rules.js';
import { auditStep, failNotFound, writeNote } from './step.js';
import { MODES, type Mode, type SourceProvider } from './vocabulary.js';

/** A new migration; only its key must be stated. */
export interface MigrationDraft {
  readonly migrationKey: string;
  readonly projectId?: string | null;
  readonly sourceProvider?: SourceProvider | null;
  readonly sourceBaseUrl?: string | null;
  readonly sourceModel?: string | null;
  readonly targetModel?: string | null;
  readonly useCases?: readonly string[] | null;
  readonly mode?: Mode | null;
  readonly requiresApproval?: boolean | null;
  readonly rollback?: RollbackWish | null;
}

/**
 * Creates a migration, with a plan of the way back.
 * @throws invalid_request with every fault, migration_key_taken, capability_roadmap for a mode
 * that is not built, not_found for a foreign project
 */
export async function createProject(
  ctx: AuthorizedCtx,
  draft: MigrationDraft,
): Promise<MigrationProject> {
  const { migrationKey } = draft;
  const useCases = draft.useCases ?? [];
  const targetModel = draft.targetModel ?? AUTO_MODEL;
  failOnFaults([
    ...projectFaults({ ...draft, useCases }),
    ...modelFaults(ctx, 'target_model', targetModel),
  ]);
  const mode = requireBuilt(draft.mode ?? 'direct');
  const projectId = await ownProject(ctx, draft.projectId);
  const source = {
    sourceProvider: draft.sourceProvider ?? 'other',
    sourceBaseUrl: draft.sourceBaseUrl ?? null,
    sourceModel: draft.sourceModel ?? null,
  };
  const plan = rollbackPlanOf({ ...source, useCases, wish: draft.rollback ?? {} });
  const create = inTransaction(ctx, {}, async (tx) => {
    const project = await tx.migrationProject.create({
      data: {
        id: newId('MigrationProject'),
        tenantId: ctx.who.tenantId,
        migrationKey,
        projectId,
        ...source,
        targetModel,
        useCases: [...useCases],
        mode,
        requiresApproval: draft.requiresApproval ?? false,
        rollbackPlan: stored(plan),
        createdBy: ctx.who.id,
      },
    });
    await writeNote(tx, project, 'created', { status: project.status });
    await auditStep(ctx, tx, 'migrationProjectCreate', undefined, project);
    return project;
  });
  return create.catch((error: unknown) => {
    if (!isDuplicate(error)) throw error;
    return fail('migration_key_taken', { values: { key: migrationKey }, param: 'migration_key' });
  });
}

function requireBuilt(mode: Mode): Mode {
  const row = MODES.find(({ code }) => code === mode);
  if (row?.status !== 'roadmap') return mode;
  return fail('capability_roadmap', { values: { capability: `The mode ${mode}` }, param: 'mode' });
}

/** The fault of a model name that no callable model or alias has. */
export function modelFaults(ctx: AuthorizedCtx, path: string, model: string): Fault[] {
  const { registry } = ctx.services;
  if (registry.models.has(model) || registry.aliases.has(model)) return [];
  const near = registry.near(model);
  const hint = near.length > 0 ? `Did you mean ${near.join(' or ')}?` : 'See GET /v1/models.';
  const shown = model.slice(0, 100);
  const message = `${path}: no model is named ${shown}. ${hint}`;
  return [{ path, code: 'unknown_value', message }];
}

/** A plan as the database takes it. */
export function stored(value: RollbackPlan | object): Prisma.InputJsonObject {
  return value as Prisma.InputJsonObject;
}

/** The migration with this id. @throws not_found */
export async function getProject(ctx: AuthorizedCtx, id: string): Promise<MigrationProject> {
  const found = await database(ctx).migrationProject.findFirst({ where: { id } });
  return found ?? failNotFound(id);
}
