import type { Customer, TestApp } from '../../support/app.js';
import { act, execute, LOW, preview, rollBack } from './calls.js';

/** One successful call of each mutation, as a member. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    integrationActionPreview: ({ token }) => preview(app, token, about('sample-preview')),
    integrationActionExecute: async ({ token }) => {
      const { body } = await preview(app, token, about('sample-execute'));
      return execute(app, token, body.preview_id);
    },
    integrationActionRollback: async ({ token }) => {
      const { id } = await act(app, token, about('sample-rollback'));
      return rollBack(app, token, id);
    },
  };
}

/** One of each thing of the module. */
export async function belongingsOf(
  app: TestApp,
  { token }: Customer,
): Promise<Record<string, string>> {
  const { body } = await preview(app, token, about('belonging'));
  const { id } = (await execute(app, token, body.preview_id)).body;
  return { IntegrationPreview: body.preview_id, IntegrationAction: id };
}

function about(recordId: string) {
  return { ...LOW, record_id: recordId };
}
