import type { AdoptionEvent } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { sharedNow, sharedNowMs } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { newId } from '../../kernel/ids.js';
import type { Window } from '../../kernel/window.rules.js';
import { change } from '../../records/change.js';
import { measuredFrom } from '../../records/measured.js';
import { requireWorkspace } from './boundary.js';
import { type DASHBOARD, type DASHBOARD_QUESTION, EVENT_FIELDS, EVENT_INPUT } from './tables.js';
import { ADOPTION_EVENTS, DEPARTMENTS, EVENT_SOURCES, WORKSPACE_BOUNDS } from './vocabulary.js';
import { eventFaults } from './workspace.rules.js';

/**
 * Records a step of adoption. One with an external reference is recorded once, also when two race.
 * @throws invalid_request with every fault, not_found, adoption_event_claimed
 */
export async function recordEvent(ctx: AuthorizedCtx, given: GivenValues): Promise<AdoptionEvent> {
  const stated = inputValues(EVENT_INPUT.fields, given);
  const isMember = ctx.who.kind === 'user';
  failOnFaults([
    ...inputFaults(EVENT_INPUT.fields, stated, 'input'),
    ...eventFaults(stated, isMember, sharedNowMs()),
  ]);
  const { tenantId } = ctx.who;
  const { workspaceId, externalRef } = stated;
  const name = { action: 'workspaceAdoptionRecord', subject: 'AdoptionEvent' } as const;
  return change(ctx, name, async (tx) => {
    await requireWorkspace(ctx, workspaceId, { tx, param: 'input.workspaceId' });
    const id = newId('AdoptionEvent');
    const data = {
      id,
      tenantId,
      workspaceId,
      eventType: stated.event,
      source: 'caller',
      userRef: stated.userId ?? ctx.who.id,
      department: stated.department,
      promptPack: stated.promptPack,
      minutesSaved: stated.timeSavedMinutes,
      externalRef,
      occurredAt: stated.occurredAt ?? sharedNow(),
    };
    // The statement waits for a racer and then skips.
    const { count } = await tx.adoptionEvent.createMany({ data, skipDuplicates: true });
    if (count === 0) {
      const values = { externalRef: externalRef ?? '' };
      return fail('adoption_event_claimed', { values, param: 'external_ref' });
    }
    const result = await tx.adoptionEvent.findFirstOrThrow({ where: { id, tenantId } });
    return { result, id, after: sealedContent(EVENT_FIELDS, shownEvent(result)) };
  });
}

/** An event as it is shown. */
export function shownEvent(row: AdoptionEvent): ValuesOf<typeof EVENT_FIELDS> {
  return {
    workspaceId: row.workspaceId,
    event: ADOPTION_EVENTS.parse(row.eventType),
    source: EVENT_SOURCES.parse(row.source),
    userId: row.userRef,
    department: row.department,
    promptPack: row.promptPack,
    timeSavedMinutes: row.minutesSaved,
    reason: row.reason,
    externalRef: row.externalRef,
    occurredAt: row.occurredAt,
  };
}

const DAY_MS = 86_400_000;

function windowOf({ from, to }: ValuesOf<typeof DASHBOARD_QUESTION>): Window {
  const { windowDaysDefault, windowDaysMax } = WORKSPACE_BOUNDS;
  const end = to ?? sharedNow();
  const begin = from ?? new Date(end.getTime() - windowDaysDefault * DAY_MS);
  const days = (end.getTime() - begin.getTime()) / DAY_MS;
  failOnFaults([
    ...fits('from', days > 0, 'must be before `to`'),
    ...(days > windowDaysMax
      ? [fault('from', 'out_of_range', `must be at most ${windowDaysMax} days before \`to\``)]
      : []),
  ]);
  return { from: begin, to: end };
}

type Dashboard = ValuesOf<typeof DASHBOARD.fields>;

/**
 * How a workspace is taken up in a window: distinct users are counted over events and requests
 * together, never added up.
 * @throws invalid_request with every fault, not_found
 */
export async function readDashboard(
  ctx: AuthorizedCtx,
  id: string,
  question: ValuesOf<typeof DASHBOARD_QUESTION>,
): Promise<Dashboard> {
  const window = windowOf(question);
  const workspace = await requireWorkspace(ctx, id);
  const onlyOf = (rows: readonly Figures[]) => {
    const [first] = rows;
    if (!first) throw new Error('the statement of the dashboard returned no row');
    return first;
  };
  const kept = { usageSince: window.from };
  const { value, provenance } = await measuredFrom(ctx, figuresOf(ctx, id, window), onlyOf, kept);
  return {
    workspaceId: id,
    ...window,
    ...value,
    departmentsEnabled: workspace.departments.map((code) => DEPARTMENTS.parse(code)),
    timeSavedProvenance: value.timeSavedMinutes === null ? null : 'declared',
    provenance,
  };
}

type Figures = Omit<
  Dashboard,
  'workspaceId' | 'from' | 'to' | 'departmentsEnabled' | 'timeSavedProvenance' | 'provenance'
>;

const USING = ADOPTION_EVENTS.rows.filter(({ active }) => active).map(({ code }) => code);

function figuresOf({ who }: AuthorizedCtx, id: string, { from, to }: Window) {
  const { tenantId } = who;
  return (rows: Transaction) => rows.$queryRaw<Figures[]>`
    WITH told AS MATERIALIZED (
      SELECT event_type, source, user_ref, department, prompt_pack, minutes_saved
      FROM adoption_event
      WHERE tenant_id = ${tenantId}::uuid AND workspace_id = ${id}::uuid
        AND occurred_at >= ${from} AND occurred_at < ${to}
    ), asked AS MATERIALIZED (
      SELECT (metadata -> 'gw_workspace') ->> 'user' AS user_ref,
             (metadata -> 'gw_workspace') ->> 'department' AS department, amount_micro
      FROM usage_event
      WHERE tenant_id = ${tenantId}::uuid AND metadata ? 'gw_workspace'
        AND (metadata -> 'gw_workspace') ->> 'id' = ${id}
        AND created_at >= ${from} AND created_at < ${to}
    ), used AS (
      SELECT user_ref, department FROM told WHERE event_type = ANY(${USING}::text[])
      UNION ALL SELECT user_ref, department FROM asked
    ), pack AS (
      SELECT prompt_pack, count(*)::int AS uses FROM told WHERE event_type = 'prompt_pack_used'
      GROUP BY prompt_pack ORDER BY uses DESC, prompt_pack LIMIT 1
    ), department AS (
      SELECT department, count(DISTINCT user_ref)::int AS users,
        (SELECT count(*)::int FROM asked a WHERE a.department = used.department) AS requests
      FROM used WHERE department IS NOT NULL GROUP BY department
    )
    SELECT (SELECT count(DISTINCT user_ref)::int FROM used) AS "activeUsers",
      (SELECT count(DISTINCT user_ref)::int FROM told WHERE event_type = 'employee_invited')
        AS "invitedUsers",
      COALESCE((SELECT jsonb_agg(jsonb_build_object('department', department,
        'activeUsers', users, 'requests', requests) ORDER BY users DESC, department)
        FROM department), '[]') AS departments,
      (SELECT count(*)::int FROM asked) AS requests,
      COALESCE((SELECT sum(amount_micro)::bigint FROM asked), 0) AS "costMicro",
      (SELECT count(*)::int FROM told WHERE event_type = 'policy_block') AS "policyBlocks",
      (SELECT count(*)::int FROM told WHERE event_type = 'policy_block' AND source = 'gateway')
        AS "policyBlocksByGateway",
      (SELECT count(*)::int FROM told WHERE event_type = 'task_completed') AS "tasksCompleted",
      (SELECT sum(minutes_saved) FROM told WHERE event_type = 'task_completed')
        AS "timeSavedMinutes",
      (SELECT prompt_pack FROM pack) AS "topPack",
      COALESCE((SELECT uses FROM pack), 0) AS "topPackUses"`;
}
