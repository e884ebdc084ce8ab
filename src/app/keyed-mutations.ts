/**
 * How a mutation is made once under an Idempotency-Key. `one_commit`: everything that it does is
 * in one database, so its effect and the answer that the key gets are one transaction. `own_books`:
 * it calls outside or takes long, so it runs outside of such a transaction, under ids that follow
 * from the key, and finds by them what an earlier attempt has done.
 */
export type Keeping = 'one_commit' | 'own_books';

/** Every mutation of the schema; a test holds the table against it. */
export const KEYED_MUTATIONS: Readonly<Record<string, Keeping>> = {
  apiKeyCreate: 'one_commit',
  apiKeyRevoke: 'one_commit',
  // Approving carries out what waited, and the answer says how that went.
  approvalDecide: 'own_books',
  authLogin: 'one_commit',
  authRefresh: 'one_commit',
  authRegister: 'one_commit',
  billingTopUp: 'one_commit',
  blueprintDeploy: 'one_commit',
  blueprintManifestStore: 'one_commit',
  blueprintRun: 'own_books',
  budgetExceptionRequest: 'one_commit',
  chatComplete: 'own_books',
  chatCompletionCreate: 'own_books',
  commercialTermsSet: 'one_commit',
  contextPolicyCreate: 'one_commit',
  embeddingsCreate: 'own_books',
  integrationActionExecute: 'one_commit',
  integrationActionPreview: 'one_commit',
  integrationActionRollback: 'one_commit',
  inviteAccept: 'one_commit',
  inviteCreate: 'one_commit',
  inviteRevoke: 'one_commit',
  memberChangeRole: 'one_commit',
  memberRemove: 'one_commit',
  migrationCheckRun: 'own_books',
  migrationProjectCompare: 'own_books',
  migrationProjectCreate: 'one_commit',
  migrationProjectCutOver: 'one_commit',
  migrationProjectRollback: 'one_commit',
  migrationProjectScan: 'one_commit',
  organizationFourEyesSet: 'one_commit',
  policyCreate: 'one_commit',
  policyUpdate: 'one_commit',
  projectCreate: 'one_commit',
  promptCreate: 'one_commit',
  promptPromote: 'one_commit',
  promptRollback: 'one_commit',
  promptTest: 'one_commit',
  promptVersionCreate: 'one_commit',
  toolCallApprove: 'own_books',
  toolCallExecute: 'own_books',
  toolCallReject: 'own_books',
  toolCallRollback: 'own_books',
  toolRegister: 'one_commit',
  toolSigningSecretRotate: 'one_commit',
};

/**
 * How fields of a mutation are kept together: in one commit only when each of them can be. A field
 * that the table does not name is taken for one with books of its own, which assumes less.
 */
export function keepingOf(fields: readonly string[]): Keeping {
  const all = fields.every((field) => KEYED_MUTATIONS[field] === 'one_commit');
  return all ? 'one_commit' : 'own_books';
}
