import { DUE_TOOL_CALLS, resumeToolCalls } from '../actions/tools/execution.js';
import { endLostRuns, LOST_RUNS } from '../delivery/blueprints/run-underway.js';
import { endLostEvaluations, LOST_EVALUATIONS } from '../delivery/prompt-evaluations/record.js';
import { ANOMALIES_TO_ACT_ON, actOnAnomalies } from '../finops/anomalies/pauses.js';
import type { Services } from '../graph/ctx.js';
import { warnUnlessAway } from '../platform/database/outage.js';
import { DUE_EXECUTIONS, resumeApprovals } from '../records/approvals/execution.js';
import { EXPIRED_APPROVALS, expireApprovals } from '../records/approvals/queue.js';

/** Work that becomes due by itself, or that a process has left. Any number of nodes may do it. */
interface LeftWork {
  /** The rows that it would take up, from FROM on. */
  readonly rows: string;
  readonly work: (services: Services) => Promise<unknown>;
}

const LEFT_WORK: readonly LeftWork[] = [
  { rows: EXPIRED_APPROVALS, work: expireApprovals },
  { rows: DUE_EXECUTIONS, work: resumeApprovals },
  { rows: DUE_TOOL_CALLS, work: resumeToolCalls },
  { rows: LOST_RUNS, work: endLostRuns },
  { rows: LOST_EVALUATIONS, work: endLostEvaluations },
  {
    rows: ANOMALIES_TO_ACT_ON,
    work: (services) => actOnAnomalies(services, services.platformPool),
  },
];

const IS_LEFT = LEFT_WORK.map(({ rows }) => `EXISTS (SELECT ${rows})`).join(', ');
const IS_LEFT_SQL = `SELECT ARRAY[${IS_LEFT}] AS left`;

/**
 * Does what is left, one after the other. Whether anything is, is one statement: a gateway that
 * does nothing asks it all day long, past the ORM. It is planned each time, since a plan that was
 * kept from when the tables were empty reads the whole of them.
 */
export async function doLeftWork(services: Services): Promise<void> {
  const { rows } = await services.platformPool.query<{ left: boolean[] }>(IS_LEFT_SQL);
  const left = rows[0]?.left ?? [];
  for (const { work } of LEFT_WORK.filter((_work, place) => left[place])) {
    try {
      await work(services);
    } catch (error) {
      // One that fails must not keep the others from their turn.
      warnUnlessAway(services.log, error, 'work that was left could not be done');
    }
  }
}
