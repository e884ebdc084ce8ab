import type { ErrorBody } from '../../journeys/people.js';
import { type Answer, type Customer, rest, type TestApp } from '../../support/app.js';

/** What tests read of a preview. */
export interface Preview extends ErrorBody {
  readonly preview_id: string;
  readonly record_id: string;
  readonly record_version: number;
  readonly decision: string;
  readonly proposed_changes: readonly unknown[];
}

/** What tests read of an action and its receipt. */
export interface Outcome extends ErrorBody {
  readonly id: string;
  readonly status: string;
  readonly decision: string;
  readonly failure: string | null;
  readonly sealed: boolean;
  readonly receipt_id: string | null;
  readonly already_executed: boolean;
  readonly approval: { readonly id: string; readonly self_approved: boolean } | null;
  readonly cost: Readonly<Record<string, unknown>>;
}

/** A change that nobody has to approve. */
export const LOW = {
  connector: 'bitrix24',
  action: 'contact.update',
  record_id: 'contact-17',
  record: { company: 'Romashka', custom: { segment: 'retail', city: 'Perm' } },
  changes: { company: 'Romashka', custom: { segment: 'wholesale' } },
} as const;

/** A change that a member must approve. */
export const HIGH = {
  connector: 'amocrm',
  action: 'deal.update',
  record_id: 'deal-1',
  record: { title: 'A deal', stage: 'new', amount_rub: 100 },
  changes: { stage: 'won', amount_rub: 250 },
} as const;

export function preview(
  app: TestApp,
  credential: string,
  body: Readonly<Record<string, unknown>> = LOW,
): Promise<Answer<Preview>> {
  return rest(app, 'POST', '/v1/gw/integrations/actions/preview', { credential, body });
}

export function execute(
  app: TestApp,
  credential: string,
  previewId: string,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Answer<Outcome>> {
  const body = { preview_id: previewId, ...more };
  return rest(app, 'POST', '/v1/gw/integrations/actions/execute', { credential, body });
}

/** Previews and executes. */
export async function act(
  app: TestApp,
  credential: string,
  body: Readonly<Record<string, unknown>> = LOW,
  more: Readonly<Record<string, unknown>> = {},
): Promise<Outcome> {
  const { body: previewed } = await preview(app, credential, body);
  return (await execute(app, credential, previewed.preview_id, more)).body;
}

export function receiptOf(app: TestApp, credential: string, id: string): Promise<Answer<Outcome>> {
  return rest(app, 'GET', `/v1/gw/integrations/actions/${id}/receipt`, { credential });
}

export function rollBack(app: TestApp, credential: string, id: string): Promise<Answer<Outcome>> {
  return rest(app, 'POST', `/v1/gw/integrations/actions/${id}/rollback`, { credential, body: {} });
}

/** Decides about an approval as a member. */
export function decide(
  app: TestApp,
  token: string,
  id: string,
  decision: 'approve' | 'reject' = 'approve',
): Promise<Answer> {
  return rest(app, 'POST', `/v1/gw/approvals/${id}/${decision}`, { credential: token, body: {} });
}

/** The audit events of an action of a customer. */
export function auditEvents(app: TestApp, { tenantId }: Customer, action: string) {
  const { prisma } = app.owner;
  return prisma.auditEvent.findMany({ where: { tenantId, action }, orderBy: { id: 'asc' } });
}
