import type { Prisma, RevenueSignal } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { latestEntries } from '../../records/journals.js';
import { lockOwn } from '../../records/own.js';
import { lockAccount } from './account-lock.js';
import { daysUntil } from './facts.js';
import { EVENT_JOURNAL } from './records.js';
import { evidenceFor, type SignalEvent } from './signals.rules.js';
import { ACCOUNT, RESOLVE_INPUT, type SIGNAL_ADVICE } from './tables.js';
import { EVENT_DAYS, LEAD_EVENTS, SIGNAL_RULES } from './vocabulary.js';

const DAY_MS = 86_400_000;

/** What a derivation found. */
export interface Derived {
  readonly accountRef: string;
  /** Signals that were not there before. */
  readonly derived: readonly RevenueSignal[];
  /** All signals of the account that nobody has closed, the newest first. */
  readonly open: readonly RevenueSignal[];
  /** Events that were looked at. */
  readonly events: number;
}

/**
 * Derives the signals of an account from its latest thousand events of 90 days. Each event serves a
 * rule once, so deriving again finds nothing new, also when two derive at once.
 * @throws invalid_request for what is no reference of an account
 */
export async function deriveSignals(ctx: AuthorizedCtx, accountRef: string): Promise<Derived> {
  failOnFaults(inputFaults({ accountRef: ACCOUNT }, { accountRef }, ''));
  const { tenantId } = ctx.who;
  const name = { action: 'revenueSignalsDerive', subject: 'RevenueSignal' } as const;
  return change(ctx, name, async (tx) => {
    await lockAccount(ctx, tx, accountRef);
    const { from } = daysUntil(await databaseNow(tx), EVENT_DAYS);
    const events = await eventsSince(ctx, tx, accountRef, from);
    const data = await newSignals(tx, { tenantId, accountRef, from }, events);
    const derived = await tx.revenueSignal.createManyAndReturn({ data });
    const where = { tenantId, accountRef, status: 'open' };
    const newestFirst = { orderBy: { id: 'desc' }, take: OPEN_SHOWN_MAX } as const;
    const open = await tx.revenueSignal.findMany({ where, ...newestFirst });
    const result = { accountRef, derived, open, events: events.length };
    const [first] = derived;
    return { result, id: first?.id, after: { rules: derived.map(({ rule }) => rule) } };
  });
}

const OPEN_SHOWN_MAX = 200;

async function eventsSince(ctx: AuthorizedCtx, tx: Transaction, subject: string, from: Date) {
  const entries = await latestEntries(ctx, EVENT_JOURNAL, { subject, from }, undefined, { tx });
  return entries.map(({ id, value, createdAt }) => ({
    id,
    type: LEAD_EVENTS.parse(value),
    atMs: createdAt.getTime(),
  }));
}

interface Of {
  readonly tenantId: string;
  readonly accountRef: string;
  readonly from: Date;
}

/** A signal that has used an event was made after it, so those since `from` suffice. */
async function newSignals(
  tx: Transaction,
  { from, ...of }: Of,
  events: readonly SignalEvent[],
): Promise<Prisma.RevenueSignalCreateManyInput[]> {
  const made = await tx.revenueSignal.findMany({
    where: { ...of, createdAt: { gte: from } },
    select: { rule: true, evidence: true },
  });
  const used = new Set(made.flatMap(({ rule, evidence }) => evidence.map((id) => rule + id)));
  return SIGNAL_RULES.rows.flatMap((rule) =>
    evidenceFor(
      rule,
      events.filter(({ id }) => !used.has(rule.code + id)),
    ).map((evidence) => ({
      ...of,
      id: newId('RevenueSignal'),
      rule: rule.code,
      evidence: evidence.map(({ id }) => id),
      completedBy: evidence.at(-1)?.id ?? '',
    })),
  );
}

/**
 * Closes a signal, once.
 * @throws invalid_request, not_found, revenue_signal_resolved
 */
export async function resolveSignal(
  ctx: AuthorizedCtx,
  id: string,
  given: GivenValues,
): Promise<RevenueSignal> {
  const { resolution, note } = inputValues(RESOLVE_INPUT.fields, given);
  failOnFaults(inputFaults(RESOLVE_INPUT.fields, { resolution, note }, 'input'));
  const name = { action: 'revenueSignalResolve', subject: 'RevenueSignal' } as const;
  return change(ctx, name, async (tx) => {
    const before = await lockOwn(ctx, tx, 'RevenueSignal', id, { subject: 'signal' });
    const { status } = before;
    if (status !== 'open') fail('revenue_signal_resolved', { values: { id, status }, param: 'id' });
    const resolvedAt = await databaseNow(tx);
    const data = { status: resolution, note, resolvedBy: ctx.who.id, resolvedAt };
    const result = await tx.revenueSignal.update({ where: { id: before.id }, data });
    return { result, id: before.id, before: { status }, after: { status: resolution, note } };
  });
}

/** What follows from a signal by the published rule that it met. */
export function adviceOf(row: RevenueSignal): ValuesOf<typeof SIGNAL_ADVICE> {
  const rule = SIGNAL_RULES.rows.find(({ code }) => code === row.rule);
  if (!rule) throw new TypeError(`a stored signal names the rule "${row.rule}", which is none`);
  const { description: reason, task, dueDays } = rule;
  return {
    reason,
    recommendedAction: task,
    crmPayload: {
      externalId: row.id,
      accountRef: row.accountRef,
      title: `${row.accountRef}: ${reason}`,
      task,
      dueAt: new Date(row.createdAt.getTime() + dueDays * DAY_MS),
      eventCount: row.evidence.length,
      source: 'revenue_signals',
    },
  };
}
