import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { enumValues } from '../../graph/enums.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { subscribeFeed } from '../../records/feed.js';
import { AFTER, FeedItem } from '../../records/schema.js';
import { CHECK_FEED } from './events.js';
import { isSimulated } from './rules.js';
import { type CheckResult, runChecks } from './service.js';
import { CHECK_STATUSES, CHECKS, RUN_STATUSES, type RunStatus } from './vocabulary.js';

const CheckCodeEnum = builder.enumType('MigrationCheckCode', {
  description: 'A live check of the migration cockpit.',
  values: enumValues(CHECKS),
});

const CheckStatusEnum = builder.enumType('MigrationCheckStatus', {
  description: 'How a check ended.',
  values: enumValues(CHECK_STATUSES),
});

const RunStatusEnum = builder.enumType('MigrationCheckRunStatus', {
  description: 'How a run of checks ended.',
  values: enumValues(RUN_STATUSES),
});

const Check = builder.objectRef<CheckResult>('MigrationCheck').implement({
  description: 'One live check: a real request to this server with the own credential.',
  fields: (t) => ({
    code: t.expose('code', { type: CheckCodeEnum, description: 'What was checked.' }),
    status: t.expose('status', { type: CheckStatusEnum, description: 'How it ended.' }),
    message: t.exposeString('message', { description: 'What was seen, in a sentence.' }),
    fix: t.exposeString('fix', {
      nullable: true,
      description: 'What to do, as the error catalogue says it; null where nothing is to do.',
    }),
    latencyMs: t.exposeInt('latencyMs', {
      nullable: true,
      description: 'Measured from the request to the last byte; null where it was skipped.',
    }),
    statusCode: t.exposeInt('statusCode', {
      nullable: true,
      description: 'The status of the answer; null without one.',
    }),
    requestId: t.exposeString('requestId', {
      nullable: true,
      description: 'The id of the request in usage and ledger; null without an answer.',
    }),
    evidence: t.field({
      type: 'JSON',
      description: 'What was seen: model, chunks, called function, fields of the error.',
      resolve: ({ evidence }) => evidence,
    }),
    simulated: t.boolean({
      description: 'True when a simulated model answered: no evidence about a real one.',
      resolve: ({ simulated }) => simulated ?? false,
    }),
    costRub: t.field({
      type: 'Rub',
      nullable: true,
      description: 'What the ledger took for it, VAT included; null where no answer told its id.',
      resolve: ({ costMicro }) => (costMicro === null ? null : BigInt(costMicro)),
    }),
  }),
});

const Run = builder.prismaNode('MigrationCheckRun', {
  id: { field: 'id', description: 'The id of the run.' },
  description: 'A run of all live checks. The credential is not part of it.',
  fields: (t) => ({
    status: t.field({
      type: RunStatusEnum,
      description: 'How it ended.',
      resolve: ({ status }) => status as RunStatus,
    }),
    checks: t.field({
      type: [Check],
      description: 'The checks in the order in which they ran.',
      resolve: ({ checks }) => checks as unknown as CheckResult[],
    }),
    simulated: t.boolean({
      description: 'True when a simulated model answered a check: no evidence about a real one.',
      resolve: ({ checks }) => isSimulated(checks as unknown as CheckResult[]),
    }),
    costRub: t.expose('costMicro', {
      type: 'Rub',
      description: 'What the ledger took for all checks, VAT included.',
    }),
    callerKind: t.exposeString('callerKind', { description: '`user` or `api_key`.' }),
    callerId: t.expose('callerId', { type: 'UUID', description: 'Whose credential was used.' }),
    requestId: t.exposeString('requestId', { description: 'The request that ran the checks.' }),
    startedAt: t.expose('startedAt', { type: 'DateTime', description: 'When it began.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it ended.' }),
  }),
});

builder.mutationField('migrationCheckRun', (t) =>
  t.prismaField({
    type: Run,
    description:
      'Runs the live checks of the migration cockpit through this server with the credential of ' +
      'this request. They are real requests and billed as such, under the feature `gw_cockpit`. ' +
      'A refusal, also for lack of funds, is a failed check and no error. Runs are no live ' +
      'traffic.',
    authScopes: { can: 'inference.run' },
    args: {
      model: t.arg.string({ description: 'The model that chats; default `gw:auto`.' }),
      embeddingsModel: t.arg.string({
        description: 'The model of embeddings; default the first one of the list of models.',
      }),
    },
    resolve: (_query, _root, { model, embeddingsModel }, ctx) =>
      runChecks(authorized(ctx), { model, embeddingsModel }),
  }),
);

builder.queryField('migrationCheckRuns', (t) =>
  t.prismaConnection({
    type: Run,
    cursor: 'id',
    description: 'Runs of the migration cockpit, newest first.',
    authScopes: { can: 'migration.read' },
    complexity: pageComplexity,
    resolve: (query, _root, _args, ctx) =>
      database(ctx).migrationCheckRun.findMany({ ...query, orderBy: NEWEST_FIRST }),
  }),
);

builder.subscriptionField('migrationCheckEvents', (t) =>
  t.field({
    type: FeedItem,
    description:
      'The progress of runs of the migration cockpit, each event once and in order; the subject ' +
      'is the run.',
    authScopes: { can: 'migration.read' },
    args: { after: t.arg.string({ description: AFTER }) },
    subscribe: (_root, { after }, ctx) =>
      subscribeFeed(ctx.services, {
        source: CHECK_FEED,
        tenantId: authorized(ctx).who.tenantId,
        after: after ?? undefined,
        signal: ctx.signal,
      }),
    resolve: (item) => item,
  }),
);
