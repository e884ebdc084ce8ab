import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import type { Sealable } from '../../kernel/canonical.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits, length, wellFormed } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { snakeCase } from '../../kernel/fields/names.js';
import { formatRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { audit } from '../../records/audit-trail.js';
import { databaseNow } from '../../records/clock.js';
import { afterCommit, transactAcrossTenants } from '../../records/scope.js';
import { type HealthOverride, type Selection, TRAFFIC_BOUNDS } from '../providers/vocabulary.js';
import { applied, hasSubject } from './apply.rules.js';
import { type ChangeDraft, type ProviderChange, placeOf, shownBody } from './change.js';
import { declarationFaults } from './declared.rules.js';
import { type ChangeRow, changeOf } from './fleet.js';
import { LIMITS_INPUT, PRICE_INPUT, type PROVIDER_CHANGE } from './tables.js';
import { FLEET_BOUNDS } from './vocabulary.js';

/** What each argument names. */
const NOUNS: Readonly<Record<string, string>> = {
  key: 'deployment',
  id: 'provider',
  model: 'model',
};

type Shown = ValuesOf<typeof PROVIDER_CHANGE.fields>;

/** A draft with the mutation that asks for it. */
interface Order extends ChangeDraft {
  readonly action: string;
  /** The argument that names the subject. */
  readonly param: string;
  /** What is wrong with the arguments by themselves. */
  readonly faults?: readonly Fault[];
}

/**
 * One who decides for the whole platform.
 * @throws platform_admin_required for everybody else
 */
export function requireOperator({ who }: AuthorizedCtx): void {
  if (!who.platformAdmin) fail('platform_admin_required');
}

/**
 * Makes a change of the providers: judged together with all that is in force, written with its
 * audit event in one transaction, and in force on this node when the answer leaves; the others are
 * notified by the same commit. Changes are made one after the other.
 * @throws platform_admin_required, not_found, invalid_request with every fault
 */
async function changeProviders(ctx: AuthorizedCtx, order: Order): Promise<Shown> {
  requireOperator(ctx);
  const { reason, faults = [] } = order;
  const max = FLEET_BOUNDS.reasonChars;
  const reasonFaults = [
    ...length('reason', reason, { min: 1, max }),
    ...wellFormed('reason', reason),
  ];
  failOnFaults([...faults, ...reasonFaults]);
  const { made, inForce } = await transactAcrossTenants(ctx.services, async (tx) => {
    await tx.$executeRaw`SELECT pg_advisory_xact_lock(hashtext('provider_change'))`;
    const before = await readInForce(tx);
    const today = moscowDay((await databaseNow(tx)).getTime());
    requireFit(ctx, order, before, today);
    const written = await write(ctx, tx, order, before);
    return { made: written, inForce: inForceWith(before, written) };
  });
  afterCommit(ctx, () => ctx.services.fleet.adopt(inForce));
  return shown(made);
}

/** The changes that are in force, latest first. @throws platform_admin_required */
export function changesInForce(ctx: AuthorizedCtx): Shown[] {
  requireOperator(ctx);
  return ctx.services.fleet.changes.map(shown);
}

function shown({ seq, kind, subject, body, reason, setBy, createdAt }: ProviderChange): Shown {
  const now = shownBody({ kind, body });
  return { version: seq, kind, subject, body: now, reason, setBy, createdAt };
}

async function readInForce(tx: Transaction): Promise<ProviderChange[]> {
  const rows = await tx.$queryRaw<ChangeRow[]>`
    SELECT DISTINCT ON (place) seq, kind, subject, place, body, reason, set_by, created_at
    FROM provider_change ORDER BY place, seq DESC`;
  return rows.map(changeOf);
}

function inForceWith(before: readonly ProviderChange[], made: ProviderChange): ProviderChange[] {
  return [...before.filter(({ place }) => place !== made.place), made];
}

function requireFit(
  { services: { fleet, config } }: AuthorizedCtx,
  order: Order,
  before: readonly ProviderChange[],
  today: string,
): void {
  const { kind, subject, body, param } = order;
  const entries = applied(fleet.entries, before);
  if (!hasSubject(entries, order)) {
    fail('not_found', { values: { subject: NOUNS[param] ?? param, id: subject }, param });
  }
  if (kind === 'provider_withdrawn' && !isDeclared(before, subject)) {
    fail('not_found', { values: { subject: 'declared provider', id: subject }, param });
  }
  if (kind === 'provider_declared') {
    const { providerHostsAllowed: hostsAllowed } = config;
    failOnFaults(declarationFaults(body, { entries, hostsAllowed, today }));
  }
  if (kind === 'price_added') {
    const { effective_from } = body as { readonly effective_from: string };
    const isLate = effective_from < today;
    const path = 'input.effectiveFrom';
    failOnFaults(isLate ? [fault(path, 'out_of_range', `must be ${today} or later`)] : []);
  }
  const draft = { ...order, seq: 0n, place: placeOf(order), setBy: '', createdAt: new Date(0) };
  const after = inForceWith(before, draft);
  const max = FLEET_BOUNDS.inForceMax;
  const isTooMuch = after.length > max;
  failOnFaults([
    ...fits(param, !isTooMuch, `would be one of more than ${max} changes in force`),
    ...fleet.faultsWith(after).map((line) => fault(param, 'invalid', `cannot be so: ${line}`)),
  ]);
}

function isDeclared(before: readonly ProviderChange[], id: string): boolean {
  return before.some(({ kind, subject }) => kind === 'provider_declared' && subject === id);
}

async function write(
  ctx: AuthorizedCtx,
  tx: Transaction,
  order: Order,
  before: readonly ProviderChange[],
): Promise<ProviderChange> {
  const { kind, subject, body, action } = order;
  const place = placeOf(order);
  const reason = order.reason.trim();
  const data = { kind, subject, place, body: body as object, reason, setBy: ctx.who.id };
  const row = await tx.providerChange.create({ data });
  const replaced = before.find((each) => each.place === place);
  await audit(ctx, tx, {
    action,
    subject: 'ProviderChange',
    subjectId: subject,
    before: replaced && (replaced.body as Sealable),
    after: { kind, subject, reason, body: body as Sealable },
  });
  return { ...row, kind };
}

/** Adds a dated price; what was charged before keeps the price it was charged by. */
export function addPrice(ctx: AuthorizedCtx, key: string, given: GivenValues, reason: string) {
  const input = inputValues(PRICE_INPUT.fields, given);
  const { effectiveFrom, vatBasis, ...stated } = input;
  const figures = Object.entries(stated).flatMap(([name, micro]) =>
    micro === null ? [] : [[snakeCase(name.replace(/Micro$/, '')), formatRub(micro)]],
  );
  return changeProviders(ctx, {
    kind: 'price_added',
    subject: key,
    body: {
      effective_from: effectiveFrom,
      vat_basis: vatBasis,
      ...(Object.fromEntries(figures) as Record<string, string>),
    },
    reason,
    action: 'deploymentPriceAdd',
    param: 'key',
    faults: inputFaults(PRICE_INPUT.fields, input, 'input'),
  });
}

/** Sets what a deployment may take over all nodes. */
export function setLimits(ctx: AuthorizedCtx, key: string, given: GivenValues, reason: string) {
  const input = inputValues(LIMITS_INPUT.fields, given);
  const stated = Object.entries(input).filter(([, value]) => value !== null);
  return changeProviders(ctx, {
    kind: 'limits_set',
    subject: key,
    body: Object.fromEntries(stated.map(([name, value]) => [snakeCase(name), value])),
    reason,
    action: 'deploymentLimitsSet',
    param: 'key',
    faults: inputFaults(LIMITS_INPUT.fields, input, 'input'),
  });
}

/** Sets the share of a deployment among those of its model. */
export function setWeight(ctx: AuthorizedCtx, key: string, weight: number, reason: string) {
  const { weightMax: max } = TRAFFIC_BOUNDS;
  const isWeight = weight >= 0 && weight <= max;
  return changeProviders(ctx, {
    kind: 'weight_set',
    subject: key,
    body: { weight },
    reason,
    action: 'deploymentWeightSet',
    param: 'key',
    faults: isWeight ? [] : [fault('weight', 'out_of_range', `must be from 0 to ${max}`)],
  });
}

/** Declares a provider in the words of the providers file, or puts it in the place of another. */
export function declareProvider(ctx: AuthorizedCtx, definition: unknown, reason: string) {
  const { id } = (definition ?? {}) as { readonly id?: unknown };
  return changeProviders(ctx, {
    kind: 'provider_declared',
    subject: String(id).slice(0, FLEET_BOUNDS.keyChars),
    body: definition,
    reason,
    action: 'providerDeclare',
    param: 'definition',
  });
}

/** Says whether a provider, or one of its deployments, is called whatever its breaker says. */
export function setHealth(
  ctx: AuthorizedCtx,
  of: 'provider' | 'deployment',
  subject: string,
  order: { readonly override: HealthOverride; readonly reason: string },
) {
  const { override, reason } = order;
  return changeProviders(ctx, {
    kind: `${of}_health_set`,
    subject,
    body: { override },
    reason,
    action: `${of}HealthSet`,
    param: of === 'provider' ? 'id' : 'key',
  });
}

/** Sets how a deployment of a public model is picked. */
export function setSelection(
  ctx: AuthorizedCtx,
  model: string,
  selection: Selection,
  reason: string,
) {
  return changeProviders(ctx, {
    kind: 'selection_set',
    subject: model,
    body: { selection },
    reason,
    action: 'modelSelectionSet',
    param: 'model',
  });
}

/** Takes a declaration back: the provider is what file and catalogue say of it, or gone. */
export function withdrawProvider(ctx: AuthorizedCtx, id: string, reason: string) {
  return changeProviders(ctx, {
    kind: 'provider_withdrawn',
    subject: id,
    body: {},
    reason,
    action: 'providerWithdraw',
    param: 'id',
  });
}
