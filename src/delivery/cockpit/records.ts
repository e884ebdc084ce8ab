import { flag, instant, text, uuid } from '../../kernel/fields/field.js';
import { contractKind } from '../../records/contract-kinds.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { RUN_FIELDS } from './tables.js';

const RUN_ID = uuid('The run of the migration cockpit.');

/** What the report of a run says: the run without whose credential it was. */
const REPORT_FIELDS = {
  runId: RUN_ID,
  baseUrl: text('The address of the gateway that was checked, as the member reached it.'),
  status: RUN_FIELDS.status,
  simulated: flag('True when a simulated model answered a check: no evidence about a real one.'),
  checks: RUN_FIELDS.checks,
  costMicro: RUN_FIELDS.costMicro,
  startedAt: RUN_FIELDS.startedAt,
  endedAt: instant('When the run ended.'),
} as const;

/** Reports of runs, sealed once for each run, when it is first shared. */
export const CHECK_REPORTS = receiptKind({
  kind: 'migration_check_report',
  type: 'MigrationCheckReport',
  description:
    'The sealed report of a run of the migration cockpit. It holds what the checks saw and ' +
    'neither credential nor text of an answer.',
  content: REPORT_FIELDS,
  queries: 'migration.read',
});

/** Whether the report of a run is shown to whoever has its link; a taken link is a version too. */
export const REPORT_SHARINGS = contractKind({
  kind: 'migration_report_sharing',
  type: 'MigrationReportSharing',
  description:
    'A version of whether the report of a run is shown to whoever has its link. Each version ' +
    'that opens it has a link of its own.',
  body: { runId: RUN_ID, shared: flag('False from the version on that takes the link back.') },
  key: 'runId',
  list: { field: 'migrationReportSharings', permission: 'migration.read', by: ['runId'] },
});
