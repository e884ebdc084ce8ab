import type { Project } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { isDuplicate } from './registration.js';
import { nameFaults } from './rules.js';

/**
 * Creates a project.
 * @throws invalid_request, also for a name that is taken
 */
export async function createProject(ctx: AuthorizedCtx, name: string): Promise<Project> {
  failOnFaults(nameFaults('name', name));
  try {
    return await change(ctx, { action: 'projectCreate', subject: 'Project' }, async (tx) => {
      const id = newId('Project');
      const data = { id, tenantId: ctx.who.tenantId, name: name.trim() };
      return { result: await tx.project.create({ data }), id, after: { name: data.name } };
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    failOnFaults([fault('name', 'invalid', `is ${name.trim()}, which another project has`)]);
    throw error;
  }
}
