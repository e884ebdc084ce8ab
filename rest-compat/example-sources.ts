import { snakeCase } from '../src/kernel/fields/names.js';
import type { CompiledRow } from './row.js';

/** Where an example gets what only a server gives out: fields of the answer to another row. */
export interface Source {
  readonly row: string;
  /** The other example is run once more before this one, which uses up what it made. */
  readonly again?: boolean;
  /** Field of the path or the body → field of the answer, `derived.0.id` inside of it. */
  readonly take: Readonly<Record<string, string>>;
  /** Another row that gives more. */
  readonly also?: Source;
}

/** The answer as it came, where it is a text. */
export const WHOLE = '';

const CALL = { id: 'id' };

/** The organization of the walk, whose administrator is one of the platform. */
const REGISTERED: Source = { row: 'RegisterTenant', take: { tenant_id: 'tenant.id' } };

/** A login beside the one that the reader goes on with. */
const NEW_LOGIN: Source = {
  row: 'LogIn',
  again: true,
  take: { refreshToken: 'refreshToken' },
};

/** The rows whose ids are not those of the collection above them. */
export const SOURCES: Readonly<Record<string, Source>> = {
  ApproveToolCall: { row: 'ExecuteToolCall', again: true, take: CALL },
  RollbackToolCall: { row: 'ApproveToolCall', take: CALL },
  RejectToolCall: { row: 'ExecuteToolCall', again: true, take: CALL },
  GetToolCallReceipt: { row: 'ApproveToolCall', take: CALL },
  Approve: { row: 'ExecuteToolCall', again: true, take: { id: 'approval_id' } },
  Reject: { row: 'ExecuteToolCall', again: true, take: { id: 'approval_id' } },
  GetApproval: { row: 'ExecuteToolCall', take: { id: 'approval_id' } },
  ExecuteIntegrationAction: {
    row: 'PreviewIntegrationAction',
    take: { preview_id: 'preview_id' },
  },
  RollbackIntegrationAction: { row: 'ExecuteIntegrationAction', take: CALL },
  GetBlueprintRun: { row: 'RunBlueprint', take: CALL },
  GetBlueprintDeployment: { row: 'DeployBlueprint', take: CALL },
  GetPromptCaseSet: {
    row: 'CreatePromptCaseSet',
    take: { id: 'prompt_id', version: 'version' },
  },
  StateWtpEvidence: { row: 'TopUpManually', again: true, take: { top_up_id: 'request_id' } },
  GetPromptEvaluation: { row: 'StartPromptEvaluation', take: CALL },
  ListPromptEvaluationResults: { row: 'StartPromptEvaluation', take: CALL },
  CancelPromptEvaluation: { row: 'StartPromptEvaluation', take: CALL },
  GetIntegrationActionReceipt: { row: 'ExecuteIntegrationAction', take: CALL },
  GetFinopsReceipt: { row: 'SealFinopsReceipt', take: CALL },
  VerifyFinopsReceipt: { row: 'SealFinopsReceipt', take: CALL },
  GetRoutingReceipt: { row: 'DecideRoute', take: CALL },
  GetContextTransformReceipt: { row: 'SealContextTransform', take: CALL },
  RecordRoutingOutcome: { row: 'DecideAdaptiveRoute', take: { request_id: 'request_id' } },
  GetAdaptiveRoutingReceipt: { row: 'DecideAdaptiveRoute', take: CALL },
  VerifyAdaptiveRoutingReceipt: { row: 'DecideAdaptiveRoute', take: CALL },
  GetWebhookDelivery: { row: 'TestWebhookEndpoint', take: CALL },
  ReplayWebhookDelivery: { row: 'TestWebhookEndpoint', take: CALL },
  ValidateEphemeralToken: { row: 'IssueEphemeralToken', take: { token: 'token' } },
  ScanKeyRisk: { row: 'CreateApiKey', again: true, take: { key_ref: 'id' } },
  RecordAbuseIncident: { row: 'CreateApiKey', again: true, take: { key_ref: 'id' } },
  UndoKeyAction: { row: 'RecordAbuseIncident', take: { id: 'incident.actions.0.id' } },
  GetKeyRisk: { row: 'ScanKeyRisk', take: { ref: 'key_ref' } },
  RecordAdoptionEvent: { row: 'CreateWorkspace', take: { workspace_id: 'id' } },
  ShareMigrationReport: { row: 'RunMigrationCockpit', take: CALL },
  UnshareMigrationReport: { row: 'ShareMigrationReport', take: { id: 'run_id' } },
  GetMigrationReport: { row: 'ShareMigrationReport', again: true, take: { id: 'report_id' } },
  VerifyMigrationReport: { row: 'ShareMigrationReport', take: { id: 'report_id' } },
  VerifyContextTransformReceipt: { row: 'SealContextTransform', take: CALL },
  StartCertificationReview: {
    row: 'CreateMarketplaceListing',
    again: true,
    take: { listing_id: 'id' },
  },
  DecideCertificationReview: { row: 'StartCertificationReview', again: true, take: CALL },
  PublishMarketplaceListing: {
    row: 'DecideCertificationReview',
    again: true,
    take: { id: 'listing_id' },
  },
  VerifyPublisherIdentity: { row: 'ClaimPublisherIdentity', take: CALL },
  WithdrawPublisherIdentity: { row: 'ClaimPublisherIdentity', again: true, take: CALL },
  DecidePublisherIdentity: { row: 'ClaimPublisherIdentity', take: CALL },
  RevokePublisherIdentity: { row: 'ClaimPublisherIdentity', again: true, take: CALL },
  ReportMarketplaceListing: { row: 'PublishMarketplaceListing', again: true, take: CALL },
  MeasureMarketplaceListing: { row: 'CreateMarketplaceListing', again: true, take: CALL },
  ResolveMarketplaceReport: { row: 'ReportMarketplaceListing', again: true, take: CALL },
  RevokeCertification: { row: 'DecideCertificationReview', again: true, take: CALL },
  VerifyCertification: { row: 'DecideCertificationReview', take: CALL },
  GetCertificationReceipt: { row: 'DecideCertificationReview', take: CALL },
  GetBillingIntegritySeal: { row: 'SealBillingIntegrity', take: { id: 'sealing_id' } },
  GetLogCheckpoint: { row: 'GetLatestLogCheckpoint', take: CALL },
  ProveLogConsistency: { row: 'GetLatestLogCheckpoint', take: CALL },
  GetLogCheckpointNote: { row: 'GetLatestLogCheckpoint', take: CALL },
  GetPublicLogCheckpoint: { row: 'PublishTransparencyLog', take: { name: 'name' } },
  GetPublicLogGrowth: { row: 'PublishTransparencyLog', take: { name: 'name' } },
  SubmitLogCosignatures: {
    row: 'GetPublicLogCheckpoint',
    again: true,
    take: { note: WHOLE },
    also: { row: 'PublishTransparencyLog', take: { name: 'name' } },
  },
  ProveSealedReceipt: { row: 'DecideRoute', take: CALL },
  RefundRequest: {
    row: 'CreateChatCompletion',
    again: true,
    take: { request_id: 'gw_routing.request_id' },
    also: REGISTERED,
  },
  CreditBalance: REGISTERED,
  AdjustBalance: REGISTERED,
  ReturnBalance: REGISTERED,
  IssueSlaCredit: REGISTERED,
  GetBalanceOperation: { row: 'CreditBalance', take: { id: 'receipt_id' } },
  VerifyBalanceOperation: { row: 'CreditBalance', take: { id: 'receipt_id' } },
  RefreshTokens: NEW_LOGIN,
  ResolveRevenueSignal: { row: 'DeriveRevenueSignals', take: { id: 'derived.0.id' } },
};

/** What an example needs that no other one makes. */
const NEEDS: Readonly<Record<string, string>> = {
  SealBillingIntegrity: 'An organization that was there when the month began.',
  CloseMonth: 'An organization that was there when the month began.',
};

/** An invitation is made in GraphQL, since the list of documented paths has none for it. */
const INVITATION = {
  graphql: 'mutation { inviteCreate(email: "new@romashka.example", role: developer) { token } }',
  take: [{ to: 'token', member: 'data.inviteCreate.token', variable: 'invitation_token' }],
} as const;

/** A value that an example takes from the answer to another one. */
interface Taken {
  /** The parameter of the path, or the member of the body. */
  readonly to: string;
  /** Where it is in the answer: names and places, separated by full stops; nothing is all of it. */
  readonly member: string;
  /** The variable of a shell that carries it. */
  readonly variable: string;
}

/** Where an example takes values from. */
export interface ExampleOrigin {
  /** The operation whose example makes them. */
  readonly operationId?: string;
  /** A document that is asked where no REST path makes them. */
  readonly graphql?: string;
  /** That example is run once more right before, since this one uses up what it made. */
  readonly again: boolean;
  readonly take: readonly Taken[];
}

/** How an example is made to work on a server: what it takes from others, and what it needs. */
export interface ExampleChain {
  readonly from: readonly ExampleOrigin[];
  readonly needs: string | undefined;
}

/**
 * The chain of the example of a row: what `SOURCES` says, and for other ids in a path the example
 * that makes such a thing, by POST to the path in front of the id.
 */
export function exampleChain(row: CompiledRow, rows: readonly CompiledRow[]): ExampleChain {
  const stated = statedOrigins(row, SOURCES[row.name]);
  const known = new Set(stated.flatMap(({ take }) => take.map(({ to }) => to)));
  const { path } = row.contract;
  const made = [...path.matchAll(/\/\{\+?(\w+)\}/g)].flatMap(({ 1: to = '', index }) => {
    const maker = known.has(to) ? undefined : makerOf(path.slice(0, index), rows);
    if (!maker) return [];
    const take = [{ to, member: 'id', variable: variableOf(maker.name, 'id') }];
    return [{ operationId: operationIdOf(maker), again: false, take }];
  });
  const invited = path === '/auth/accept-invite' ? [{ ...INVITATION, again: true }] : [];
  return { from: [...stated, ...made, ...invited], needs: NEEDS[row.name] };
}

function statedOrigins(row: CompiledRow, source: Source | undefined): ExampleOrigin[] {
  if (!source) return [];
  const take = Object.entries(source.take)
    .filter(([to]) => to !== 'id' || row.pathParameters.includes('id'))
    .map(([to, member]) => ({ to, member, variable: variableOf(source.row, member) }));
  const own = {
    operationId: operationIdOf({ name: source.row }),
    again: source.again === true,
    take,
  };
  return [own, ...statedOrigins(row, source.also)];
}

/** The row that makes things at a path, where it answers with their id. */
function makerOf(path: string, rows: readonly CompiledRow[]): CompiledRow | undefined {
  return rows.find(({ contract, condition, shape }) => {
    if (condition || contract.method !== 'POST' || contract.path !== path) return false;
    const fields = shape.kind === 'value' ? (shape.field.fields ?? []) : [];
    return fields.some(({ key }) => key === 'id');
  });
}

/** The name of an operation in the description: that of its row, as functions are called. */
export function operationIdOf({ name }: Pick<CompiledRow, 'name'>): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}

/** What rows make whose names do not say it after their first word, or not apart from others. */
const NOUNS: Readonly<Record<string, string>> = {
  ApproveToolCall: 'approved_tool_call',
  DecideCertificationReview: 'decided_review',
  DeployBlueprint: 'blueprint_deployment',
  LogIn: 'login',
  PublishMarketplaceListing: 'published_listing',
  ReportMarketplaceListing: 'marketplace_report',
  RunBlueprint: 'blueprint_run',
  TestWebhookEndpoint: 'webhook_delivery',
  TopUpManually: 'top_up',
};

/** `ExecuteToolCall` and `approval_id` → `tool_call_approval_id`; `tenant.id` → `tenant_id`. */
function variableOf(row: string, member: string): string {
  const noun = NOUNS[row] ?? snakeCase(row).split('_').slice(1).join('_');
  const words = member.split('.').filter((word) => word !== '' && !/^\d+$/.test(word));
  const leaf = snakeCase(words.slice(-2).join('_'));
  if (leaf === '' || noun.endsWith(`_${leaf}`)) return noun;
  return leaf.startsWith(`${noun}_`) ? leaf : `${noun}_${leaf}`;
}
