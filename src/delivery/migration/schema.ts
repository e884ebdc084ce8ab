import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { type ComparisonInput, compareProject } from './compare.js';
import { CONDITIONS } from './compare.rules.js';
import { cutOverProject } from './cutover.js';
import {
  CapabilityEnum,
  CutoverType,
  MigrationProject,
  ModeEnum,
  ScanType,
  SourceProviderEnum,
  StatusEnum,
} from './project-schema.js';
import { createProject, getProject } from './projects.js';
import { rollBackProject } from './rollback.js';
import { scanProject } from './scan.js';
import { BOUNDS, COMPARISON } from './vocabulary.js';

const RollbackInput = builder.inputType('MigrationRollbackInput', {
  description: 'The way back, as far as you state it. Never send the old key itself.',
  fields: (t) => ({
    baseUrl: t.string({ description: 'The old base address, without credentials.' }),
    model: t.string({ description: 'The old model.' }),
    keyName: t.string({ description: 'The name of the variable that holds the old key.' }),
    scope: t.string({ description: 'Which clients go back.' }),
  }),
});

const AcknowledgementInput = builder.inputType('MigrationAcknowledgementInput', {
  description: 'A condition of the last comparison that you, a member, accept.',
  fields: (t) => ({
    code: t.string({
      required: true,
      description: `The rule of the comparison: one of ${CONDITIONS.join(', ')}.`,
    }),
    reason: t.string({
      required: true,
      description: `Why it is acceptable, 1 to ${BOUNDS.textLengthMax} characters.`,
    }),
  }),
});

const CreateInput = builder.inputType('MigrationProjectCreateInput', {
  description: 'A new migration; only its key must be stated.',
  fields: (t) => ({
    migrationKey: t.string({
      required: true,
      description: `Your name of it, unique, at most ${BOUNDS.keyLengthMax} characters.`,
    }),
    projectId: t.field({ type: 'UUID', description: "The caller's own project unless stated." }),
    sourceProvider: t.field({
      type: SourceProviderEnum,
      description: 'Where the clients come from; `other` unless stated.',
    }),
    sourceBaseUrl: t.string({
      description: 'The base address that they use now, without credentials.',
    }),
    sourceModel: t.string({ description: 'The model that they use now.' }),
    targetModel: t.string({ description: 'The model or alias to use here; gw:auto by default.' }),
    useCases: t.stringList({ description: 'What the clients do; none unless stated.' }),
    mode: t.field({ type: ModeEnum, description: 'How traffic moves over; `direct` by default.' }),
    requiresApproval: t.boolean({
      description: 'True sends the cutover through the approval queue; false by default.',
    }),
    rollback: t.field({
      type: RollbackInput,
      description: 'The way back; what is left out comes from the source and from defaults.',
    }),
  }),
});

const MessageRoleEnum = builder.enumType('MigrationMessageRole', {
  description: 'Who says a message of an evaluation item.',
  values: {
    system: { description: 'The instructions.' },
    user: { description: 'The user.' },
    assistant: { description: 'The model, earlier in the conversation.' },
  } as const,
});

const MessageInput = builder.inputType('MigrationMessageInput', {
  description: 'A message of an evaluation item.',
  fields: (t) => ({
    role: t.field({ type: MessageRoleEnum, required: true, description: 'Who says it.' }),
    content: t.string({ required: true, description: 'The text.' }),
  }),
});

const ExpectationInput = builder.inputType('MigrationExpectationInput', {
  description: 'What an answer must be to pass: exactly one of these. Upper and lower case differ.',
  fields: (t) => ({
    equals: t.string({ description: 'The whole answer, white space at both ends aside.' }),
    contains: t.string({ description: 'A part of the answer.' }),
    startsWith: t.string({ description: 'The beginning of the answer.' }),
    jsonSchema: t.field({
      type: 'JSON',
      description:
        'The answer is JSON that fits this schema of draft 2020-12; the item then asks for ' +
        'structured output. References and patterns are refused.',
    }),
  }),
});

const EvaluationItemInput = builder.inputType('MigrationEvaluationItemInput', {
  description: 'An item of an evaluation set: either input or messages, and what to expect.',
  fields: (t) => ({
    input: t.string({ description: 'The message of a user.' }),
    messages: t.field({ type: [MessageInput], description: 'A conversation.' }),
    expect: t.field({ type: ExpectationInput, required: true, description: 'What passes.' }),
    sourceOutput: t.string({
      description: 'What the source answered; where every item has it, the source is judged too.',
    }),
  }),
});

const CompareInput = builder.inputType('MigrationProjectCompareInput', {
  description: 'What a comparison is made from; only the price of the source must be stated.',
  fields: (t) => ({
    sourceCostPer1mRub: t.field({
      type: 'Rub',
      required: true,
      description: 'What a million tokens cost at the source, at least 0.01.',
    }),
    model: t.string({ description: 'Another model than the target of the migration.' }),
    evaluationSet: t.field({
      type: [EvaluationItemInput],
      description:
        `Up to ${COMPARISON.evaluationItemsMax} items, each run as a billed request of yours in ` +
        `your own project; a verdict needs ${COMPARISON.evaluationItemsMin}.`,
    }),
    sourceQuality: t.float({
      description: 'The share of such items that passes at the source, from 0 to 1.',
    }),
    sourceLatencyMs: t.float({ description: 'How long the source takes, in milliseconds.' }),
    monthlyTokens: t.field({ type: 'BigInt', description: 'Tokens of a month.' }),
    inputShare: t.float({
      description:
        'The share of input tokens, from 0 to 1 with at most four places; ' +
        `${COMPARISON.inputShareDefault} unless stated, and 1 for embeddings.`,
    }),
  }),
});

interface CompareArgs extends Omit<ComparisonInput, 'sourceCostMicro'> {
  readonly sourceCostPer1mRub: bigint;
}

function comparisonOf({ sourceCostPer1mRub, ...rest }: CompareArgs): ComparisonInput {
  return { ...rest, sourceCostMicro: sourceCostPer1mRub };
}

builder.queryFields((t) => ({
  migrationProjects: t.prismaConnection({
    type: MigrationProject,
    cursor: 'id',
    description: 'The migrations of the organization, newest first.',
    authScopes: { can: 'migration.read' },
    complexity: pageComplexity,
    args: { status: t.arg({ type: StatusEnum, description: 'Only migrations of this status.' }) },
    resolve: (query, _root, { status }, ctx) =>
      database(ctx).migrationProject.findMany({
        ...query,
        where: { status: status ?? undefined },
        orderBy: NEWEST_FIRST,
      }),
  }),
  migrationProject: t.prismaField({
    type: MigrationProject,
    description: 'A migration by its id.',
    authScopes: { can: 'migration.read' },
    args: { id: t.arg({ type: 'UUID', required: true, description: 'The migration.' }) },
    resolve: (_query, _root, { id }, ctx) => getProject(authorized(ctx), id),
  }),
}));

const ID_DESCRIPTION = 'The migration.';

builder.mutationFields((t) => ({
  migrationProjectCreate: t.prismaField({
    type: MigrationProject,
    description: 'Creates a migration, with a plan of the way back.',
    authScopes: { can: 'migration.write' },
    args: {
      input: t.arg({ type: CreateInput, required: true, description: 'The migration.' }),
    },
    resolve: (_query, _root, { input }, ctx) => createProject(authorized(ctx), input),
  }),
  migrationProjectScan: t.field({
    type: ScanType,
    description:
      'Looks up the documented gaps of the capabilities in use. It is a lookup, not a live probe.',
    authScopes: { can: 'migration.write' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: ID_DESCRIPTION }),
      usedCapabilities: t.arg({
        type: [CapabilityEnum],
        required: true,
        description: 'What the clients use, each once.',
      }),
    },
    resolve: (_root, { id, usedCapabilities }, ctx) =>
      scanProject(authorized(ctx), id, usedCapabilities),
  }),
  migrationProjectCompare: t.prismaField({
    type: MigrationProject,
    description:
      'Compares the source with the route and seals the result. An evaluation set is really run.',
    authScopes: { can: 'migration.write' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: ID_DESCRIPTION }),
      input: t.arg({ type: CompareInput, required: true, description: 'The figures.' }),
    },
    resolve: (_query, _root, { id, input }, ctx) =>
      compareProject(authorized(ctx), id, comparisonOf(input)),
  }),
  migrationProjectRollback: t.prismaField({
    type: MigrationProject,
    description:
      'Rolls a migration back from whatever status. The plan says what the clients must do; a ' +
      'cutover that waits for approval is void.',
    authScopes: { can: 'migration.write' },
    args: { id: t.arg({ type: 'UUID', required: true, description: ID_DESCRIPTION }) },
    resolve: (_query, _root, { id }, ctx) => rollBackProject(authorized(ctx), id),
  }),
}));

builder.mutationField('migrationProjectCutOver', (t) =>
  t.field({
    type: CutoverType,
    description:
      'Cuts over when every item of the checklist is done and the last comparison does not hold ' +
      'it; else answers what blocks it, or that it waits in the approval queue. Each condition ' +
      'of a conditional comparison must be acknowledged by the member who asks. What rests on ' +
      'simulated answers stays blocked whatever is acknowledged.',
    authScopes: { can: 'migration.write' },
    args: {
      id: t.arg({ type: 'UUID', required: true, description: ID_DESCRIPTION }),
      rollback: t.arg({
        type: RollbackInput,
        description: 'Completes the rollback plan before the checklist is read.',
      }),
      acknowledgements: t.arg({
        type: [AcknowledgementInput],
        description:
          'The conditions that you accept; keys cannot. They are kept in the sealed receipt.',
      }),
    },
    resolve: (_root, { id, rollback, acknowledgements }, ctx) =>
      cutOverProject(authorized(ctx), id, {
        rollback: rollback ?? {},
        acknowledgements: acknowledgements ?? [],
      }),
  }),
);
