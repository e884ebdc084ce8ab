import type { Project } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { isDuplicate } from './registration.js';
import { nameFaults } from './rules.js';

/**
 * Creates a project.
 * @throws invalid_request, also for a name that is taken
 */
export async function createProject(ctx: AuthorizedCtx, name: string): Promise<Project> {
  failOnFaults(nameFaults('name', name));
  try {
    return await ctx.services.prisma.$transaction(async (tx) => {
      const project = await tx.project.create({
        data: { id: newId('Project'), tenantId: ctx.who.tenantId, name: name.trim() },
      });
      const after = { name: project.name };
      await audit(ctx, tx, {
        action: 'projectCreate',
        subject: 'Project',
        subjectId: project.id,
        after,
      });
      return project;
    });
  } catch (error) {
    if (!isDuplicate(error)) throw error;
    const message = `name: a project named ${name.trim()} exists.`;
    failOnFaults([{ path: 'name', code: 'invalid', message }]);
    throw error;
  }
}
