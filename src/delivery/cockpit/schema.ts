import { builder } from '../../graph/builder.js';
import { authorized, database } from '../../graph/database.js';
import { NEWEST_FIRST, pageComplexity } from '../../graph/page.js';
import { argsOf, outputOf, shownFields } from '../../graph/table-types.js';
import { kept, uuid } from '../../kernel/fields/field.js';
import { feedField } from '../../records/feed-field.js';
import { feedItem } from '../../records/feed-item.js';
import { shownRun } from './kept.rules.js';
import { REPORT_SHARINGS } from './records.js';
import { CHECK_FEED, runChecks } from './service.js';
import { shareReport, takeLinkBack } from './share.js';
import { CHECK_PAYLOAD, REPORT_LINK, RUN_FIELDS } from './tables.js';

const Run = builder.prismaNode('MigrationCheckRun', {
  id: { field: 'id', description: 'The id of the run.' },
  description: 'A run of all live checks. The credential is not part of it.',
  fields: (t) => shownFields(t, RUN_FIELDS, shownRun) as never,
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
      runChecks(authorized(ctx), model, embeddingsModel),
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

const OF_RUN = { runId: uuid('The run of the migration cockpit.') };

builder.mutationFields((t) => ({
  migrationReportShare: t.field({
    type: outputOf(REPORT_LINK),
    description:
      'Seals the report of a run and opens a link to it, for 30 days or until it is taken back. ' +
      'Whoever has the link reads the report without a credential; an open link is given again.',
    authScopes: { can: 'migration.write' },
    args: argsOf(t, OF_RUN),
    resolve: (_root, { runId }, ctx) => shareReport(authorized(ctx), runId),
  }),
  migrationReportUnshare: t.field({
    type: REPORT_SHARINGS.type,
    description: 'Takes the open link to the report of a run back: it shows nothing any more.',
    authScopes: { can: 'migration.write' },
    args: argsOf(t, OF_RUN),
    resolve: (_root, { runId }, ctx) => takeLinkBack(authorized(ctx), runId),
  }),
}));

feedField({
  name: 'migrationCheckEvents',
  description:
    'The progress of runs of the migration cockpit, each event once and in order; the subject ' +
    'is the run.',
  permission: 'migration.read',
  source: CHECK_FEED,
  item: feedItem(
    'MigrationCheckFeedItem',
    'The progress of a run of the migration cockpit; the subject is the run.',
    kept(CHECK_PAYLOAD, 'What the event tells.'),
  ),
});
