import type { GraphQLSchema } from 'graphql';
import type { CompiledRow } from '../../rest-compat/row.js';
import { isKeptInWorkspaces } from '../access/workspaces/confinement.rules.js';
import { permissionOfField } from '../graph/builder.js';
import type { Permission } from '../graph/permissions.js';
import { MODULES } from '../graph/registration.js';
import { ERRORS, type ErrorCode } from '../kernel/errors/catalogue.js';

/** Codes that every row can fail with, since load is shed before anything is looked at. */
const OF_ALL: readonly ErrorCode[] = ['overloaded'];

/** Codes of whoever shows a credential. */
const OF_CREDENTIALS: readonly ErrorCode[] = [
  'invalid_api_key',
  'api_key_revoked',
  'invalid_token',
  'tenant_suspended',
];

/** The permission to call a model, and the modules whose rules such a call passes. */
const CALLS_MODELS = 'inference.run';
const ON_THE_WAY =
  /^(inference|access\/(policies|budgets)|finops\/(budgets|anomalies)|money\/ledger)/;

/** Codes of policies that are about calls of models alone, and not about the policies. */
const OF_CALLS: ReadonlySet<string> = new Set<ErrorCode>([
  'model_not_allowed',
  'data_route_forbidden',
  'firewall_blocked',
  'rate_limit_requests',
  'rate_limit_tokens',
  'rate_limit_concurrency',
  'approval_rejected',
  'approval_wait_timeout',
  'spend_paused',
]);

/** Fields of everybody's permission that answer administrators of the platform alone. */
const OF_PLATFORM: ReadonlySet<string> = new Set([
  'analyticsDashboard',
  'balanceAdjust',
  'balanceCredit',
  'balanceRefund',
  'balanceReturn',
  'marketplaceListingMeasure',
  'marketplaceListingQueue',
  'marketplaceReportQueue',
  'marketplaceReportResolve',
  'publisherIdentityDecide',
  'publisherIdentityQueue',
  'publisherIdentityRevoke',
  'slaCreditIssue',
]);

/** Fields of permissions that callers of a workspace keep, which refuse such callers themselves. */
const OUTSIDE_WORKSPACES: ReadonlySet<string> = new Set([
  'budgetExceptionRequest',
  'promptUsage',
  'spendResumeRequest',
  'tool',
  'tools',
  'usageEvents',
  'usageEventsHead',
]);

/** Whether a field is for callers outside all workspaces alone. */
export function isOutsideWorkspaces(name: string, permission: Permission | undefined): boolean {
  if (permission === undefined) return false;
  return !isKeptInWorkspaces(permission) || OUTSIDE_WORKSPACES.has(name);
}

/** What reads meets no conflict. */
const CONFLICT = 409;

/**
 * The codes that a row can fail with, beside those of the transport: what the modules of its fields
 * raise, by the mutations and permissions that they have registered.
 */
export function codesOfRow(schema: GraphQLSchema): (row: CompiledRow) => readonly ErrorCode[] {
  return ({ contract, operationKind, rootFields }) => {
    const fields = schema.getRootType(operationKind as never)?.getFields() ?? {};
    const permissions = rootFields.map((name) => {
      const field = fields[name];
      return field && permissionOfField(field);
    });
    const callsModel = permissions.includes(CALLS_MODELS) && contract.method === 'POST';
    const codes = [...MODULES].flatMap(([folder, { errors = {}, ...row }]) => {
      const mutations = Object.values(row.mutations ?? {}).flat();
      const own = Object.keys(row.permissions ?? {});
      const isTheirs =
        mutations.some((name) => rootFields.includes(name)) ||
        permissions.some((permission) => permission !== undefined && own.includes(permission));
      const isMet = isTheirs || (callsModel && ON_THE_WAY.test(folder));
      return isMet ? (Object.keys(errors) as ErrorCode[]) : [];
    });
    const met = codes.filter(
      (code) =>
        (callsModel || !OF_CALLS.has(code)) &&
        (operationKind !== 'query' || ERRORS[code].status !== CONFLICT),
    );
    const shown = contract.auth === 'B' ? OF_CREDENTIALS : [];
    const isOfPlatform = rootFields.some((name) => OF_PLATFORM.has(name));
    const ofPlatform: readonly ErrorCode[] = isOfPlatform ? ['platform_admin_required'] : [];
    const isOutside = rootFields.some((name, at) => isOutsideWorkspaces(name, permissions[at]));
    const confined: readonly ErrorCode[] = isOutside ? ['workspace_caller_confined'] : [];
    const others = met.filter((code) => code !== 'workspace_caller_confined');
    return [...OF_ALL, ...shown, ...ofPlatform, ...others, ...confined];
  };
}
