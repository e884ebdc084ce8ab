import type { MigrationProject as MigrationProjectRow } from '../../generated/prisma/client.js';
import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import type { Acknowledgement } from './acknowledgement.rules.js';
import type { CutoverAnswer } from './cutover.js';
import type { ChecklistItem } from './cutover.rules.js';
import type { Cutover } from './cutover-approval.js';
import { readChecklists } from './facts.js';
import { type HistoryEntry, readHistories } from './history.js';
import { MIGRATION_NOTES } from './notes.js';
import { MigrationReceiptType, receiptOf } from './receipt-schema.js';
import type { RollbackPlan } from './rollback.rules.js';
import type { Scanned } from './scan.js';
import type { KnownGap, Scan } from './scan.rules.js';
import {
  CAPABILITIES,
  CUTOVER_OUTCOMES,
  MODES,
  type Mode,
  SCORE_FORMULA,
  SEVERITIES,
  SOURCE_PROVIDERS,
  type SourceProvider,
  STATUSES,
  type Status,
} from './vocabulary.js';

/** Source providers. */
export const SourceProviderEnum = builder.enumType('MigrationSourceProvider', {
  description: 'Where a client comes from.',
  values: enumValues(SOURCE_PROVIDERS),
});

/** Capabilities that clients use. */
export const CapabilityEnum = builder.enumType('MigrationCapability', {
  description: 'What a client uses of its provider.',
  values: enumValues(CAPABILITIES),
});

/** Modes of migrations. */
export const ModeEnum = builder.enumType('MigrationMode', {
  description: 'How traffic moves over.',
  values: enumValues(MODES),
});

/** Statuses of migrations. */
export const StatusEnum = builder.enumType('MigrationStatus', {
  description: 'Where a migration stands.',
  values: enumValues(STATUSES),
});

const SeverityEnum = builder.enumType('MigrationGapSeverity', {
  description: 'How much a gap matters.',
  values: enumValues(SEVERITIES),
});

const CutoverOutcomeEnum = builder.enumType('MigrationCutoverOutcome', {
  description: 'What became of a request to cut over.',
  values: enumValues(CUTOVER_OUTCOMES),
});

const NoteEnum = builder.enumType('MigrationNote', {
  description: 'What the history of a migration can say.',
  values: enumValues(MIGRATION_NOTES),
});

const KnownGapType = builder.objectRef<KnownGap>('MigrationKnownGap').implement({
  description: 'A documented gap that concerns the client.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The gap, as the reference lists it.' }),
    capability: t.expose('capability', { type: CapabilityEnum, description: 'What it concerns.' }),
    gap: t.exposeString('gap', { description: 'What is different or missing.' }),
    severity: t.expose('severity', { type: SeverityEnum, description: 'How much it matters.' }),
    workaround: t.exposeString('workaround', { description: 'What to do about it.' }),
  }),
});

/** A scan. */
export const ScanType = builder.objectRef<Scanned>('MigrationScan').implement({
  description: 'A lookup of documented gaps and of the models in the registry, not a live probe.',
  fields: (t) => ({
    usedCapabilities: t.field({
      type: [CapabilityEnum],
      description: 'What the client uses.',
      resolve: (scan) => [...scan.used_capabilities],
    }),
    score: t.exposeInt('score', { description: 'From 0 to 100, by the formula.' }),
    formula: t.string({ description: 'How the score is computed.', resolve: () => SCORE_FORMULA }),
    knownGaps: t.field({
      type: [KnownGapType],
      description: 'The gaps that concern the client.',
      resolve: (scan) => [...scan.known_gaps],
    }),
    scannedAt: t.field({
      type: 'DateTime',
      description: 'When.',
      resolve: (scan) => new Date(scan.scanned_at),
    }),
  }),
});

const ChecklistItemType = builder.objectRef<ChecklistItem>('MigrationChecklistItem').implement({
  description: 'An item of the cutover checklist, read from the rows of the organization.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'The item.' }),
    description: t.exposeString('description', { description: 'What is so when it is done.' }),
    done: t.exposeBoolean('done', { description: 'True when the rows show it.' }),
    evidence: t.exposeString('evidence', { description: 'What the rows show.' }),
    closedBy: t.exposeString('closed_by', { description: 'The call that closes it.' }),
  }),
});

const AcknowledgementType = builder
  .objectRef<Acknowledgement>('MigrationAcknowledgement')
  .implement({
    description: 'A condition of a comparison that a member has accepted.',
    fields: (t) => ({
      code: t.exposeString('code', { description: 'The rule of the comparison.' }),
      reason: t.exposeString('reason', {
        description: 'Why it is acceptable, as the member says.',
      }),
      memberId: t.expose('member_id', { type: 'UUID', description: 'The member.' }),
    }),
  });

/** A request to cut over. */
export const CutoverType = builder.objectRef<CutoverAnswer>('MigrationCutover').implement({
  description: 'A request to cut over, and what became of it.',
  fields: (t) => ({
    decision: t.expose('decision', {
      type: CutoverOutcomeEnum,
      description: 'What became of it.',
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
    checklist: t.field({
      type: [ChecklistItemType],
      description: 'The checklist as the rows showed it then.',
      resolve: (cutover) => [...cutover.checklist],
    }),
    acknowledgements: t.field({
      type: [AcknowledgementType],
      description: 'The conditions of the comparison that a member has accepted.',
      resolve: (cutover) => [...(cutover.acknowledgements ?? [])],
    }),
    openConditions: t.field({
      type: ['String'],
      description: 'The conditions that nobody has acknowledged; each blocks the cutover.',
      resolve: (cutover) => [...(cutover.open_conditions ?? [])],
    }),
    receiptId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'The sealed receipt of the cutover; null while it has not happened.',
      resolve: (cutover) => cutover.receipt_id ?? null,
    }),
    sha256: t.field({
      type: 'Sha256',
      nullable: true,
      description: 'SHA-256 of what was sealed, as canonical JSON by RFC 8785; null without it.',
      resolve: (cutover) => cutover.receipt_sha256 ?? null,
    }),
    approvalId: t.expose('approval_id', {
      type: 'UUID',
      nullable: true,
      description: 'Its approval in the queue; null where none was asked for.',
    }),
    decidedAt: t.field({
      type: 'DateTime',
      description: 'When.',
      resolve: (cutover) => new Date(cutover.decided_at),
    }),
  }),
});

const RollbackPlanType = builder.objectRef<RollbackPlan>('MigrationRollbackPlan').implement({
  description: 'The way back. There always is one; the old key itself is never taken.',
  fields: (t) => ({
    baseUrl: t.exposeString('base_url', {
      nullable: true,
      description: 'The old base address; null where it is not known.',
    }),
    model: t.exposeString('model', {
      nullable: true,
      description: 'The old model; null where it is not known.',
    }),
    keyName: t.exposeString('key_name', {
      description: 'The name of the variable that holds the old key.',
    }),
    scope: t.exposeString('scope', { description: 'Which clients go back.' }),
    provenance: t.field({
      type: 'JSON',
      description: 'For each part: `declared` by you, `default`, or `unknown`.',
      resolve: (plan) => plan.provenance,
    }),
    fillIn: t.field({
      type: ['String'],
      description: 'What only you know; empty when the plan is complete.',
      resolve: (plan) => [...plan.fill_in],
    }),
    steps: t.field({
      type: ['String'],
      description: 'What to do, in order.',
      resolve: (plan) => [...plan.steps],
    }),
  }),
});

const HistoryEntryType = builder.objectRef<HistoryEntry>('MigrationHistoryEntry').implement({
  description: 'A step in the life of a migration.',
  fields: (t) => ({
    event: t.field({
      type: NoteEnum,
      description: 'What happened.',
      resolve: (entry) => entry.value,
    }),
    details: t.field({
      type: 'JSON',
      description: 'The facts of it.',
      resolve: (entry) => entry.body,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When.' }),
  }),
});

/** What a migration keeps, together with it. */
function withProject<T extends object>(kept: T | null, project: MigrationProjectRow) {
  return kept && { ...kept, project };
}

const NO_RECEIPT = 'No comparison was made yet; POST /v1/gw/migration/projects/{id}/compare.';

/** A migration. */
export const MigrationProject = builder.prismaNode('MigrationProject', {
  id: { field: 'id', description: 'The id of the migration.' },
  description: 'The move of clients from another provider to this gateway.',
  fields: (t) => ({
    migrationKey: t.exposeString('migrationKey', {
      description: 'Your name of it, unique in the organization.',
    }),
    projectId: t.expose('projectId', {
      type: 'UUID',
      description: 'The project whose keys and policies the clients will use.',
    }),
    sourceProvider: t.field({
      type: SourceProviderEnum,
      description: 'Where the clients come from.',
      resolve: (project) => project.sourceProvider as SourceProvider,
    }),
    sourceBaseUrl: t.exposeString('sourceBaseUrl', {
      nullable: true,
      description: 'The base address that they use now; null where it was not stated.',
    }),
    sourceModel: t.exposeString('sourceModel', {
      nullable: true,
      description: 'The model that they use now; null where it was not stated.',
    }),
    targetModel: t.exposeString('targetModel', { description: 'The model or alias to use here.' }),
    useCases: t.field({
      type: ['String'],
      description: 'What the clients do.',
      resolve: (project) => project.useCases as string[],
    }),
    mode: t.field({
      type: ModeEnum,
      description: 'How traffic moves over.',
      resolve: (project) => project.mode as Mode,
    }),
    requiresApproval: t.exposeBoolean('requiresApproval', {
      description: 'True when the cutover goes through the approval queue.',
    }),
    status: t.field({
      type: StatusEnum,
      description: 'Where it stands.',
      resolve: (project) => project.status as Status,
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', { type: 'DateTime', description: 'When it last changed.' }),
  }),
});

builder.prismaObjectFields(MigrationProject, (t) => ({
  scan: t.field({
    type: ScanType,
    nullable: true,
    description: 'The last compatibility scan; null before the first.',
    resolve: (project) => withProject(project.scan as unknown as Scan | null, project),
  }),
  receipt: t.field({
    type: MigrationReceiptType,
    nullable: true,
    description: 'The last comparison; null before the first.',
    resolve: receiptOf,
  }),
  receiptReason: t.string({
    nullable: true,
    description: 'Why there is no receipt; null when there is one.',
    resolve: (project) => (project.receiptId ? null : NO_RECEIPT.replace('{id}', project.id)),
  }),
  cutover: t.field({
    type: CutoverType,
    nullable: true,
    description: 'The last request to cut over; null before the first.',
    resolve: (project) => withProject(project.cutover as unknown as Cutover | null, project),
  }),
  cutoverChecklist: t.loadableList({
    type: ChecklistItemType,
    description: 'The checklist of the cutover as the rows show it now.',
    load: (projects: MigrationProjectRow[], ctx) => readChecklists(authorized(ctx), projects),
    resolve: (project) => project,
  }),
  rollbackPlan: t.field({
    type: RollbackPlanType,
    description: 'The way back.',
    resolve: (project) => project.rollbackPlan as unknown as RollbackPlan,
  }),
  history: t.loadableList({
    type: HistoryEntryType,
    description: 'The last 50 steps, newest first.',
    load: (ids: string[], ctx) => readHistories(authorized(ctx), ids),
    resolve: (project) => project.id,
  }),
}));

builder.objectField(ScanType, 'project', (t) =>
  t.field({
    type: MigrationProject,
    description: 'The migration.',
    resolve: ({ project }) => project,
  }),
);

builder.objectField(CutoverType, 'project', (t) =>
  t.field({
    type: MigrationProject,
    description: 'The migration.',
    resolve: ({ project }) => project,
  }),
);
