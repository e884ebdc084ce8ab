import { Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../graph/ctx.js';
import { AWAY_RETRY_AFTER_MS, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { change } from '../../records/change.js';
import { databaseNow } from '../../records/clock.js';
import { idUnderKey } from '../../records/keyed-ids.js';
import type { Receipt } from '../../records/receipt.js';
import { inTransaction } from '../../records/scope.js';
import { ERASURE_RECEIPTS } from './records.js';
import { ANY_OPEN, sealOpenRows } from './seal-open-rows.js';
import { ERASURE_INPUT, type Erasure } from './tables.js';

interface Dropped {
  readonly keys: number;
  readonly answers: number;
  readonly deliveries: number;
}

/**
 * Erases the personal data of the organization by its data key, on every node at once. Books,
 * usage, hashes and receipts stand; what is written from now on is sealed under another key.
 * @throws invalid_request for another name than the organization's, personal_data_key_changed,
 *   ledger_unavailable where a single write takes too long to be waited for
 */
export async function erasePersonalData(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<Receipt<Erasure>> {
  const asked = inputValues(ERASURE_INPUT.fields, given);
  failOnFaults(inputFaults(ERASURE_INPUT.fields, asked, 'input'));
  const { organization, reason } = asked;
  const { services, who } = ctx;
  const { tenantId } = who;
  await inTransaction(ctx, {}, (tx) => requireNamed(tx, tenantId, organization));
  // What still stands open from before is sealed first, so that it goes with the key.
  await sealOpenRows(services, tenantId);
  const before = await dropInPieces(ctx);
  const name = { action: 'organizationPersonalDataErase', subject: 'Tenant' };
  return change(ctx, name, async (tx) => {
    await requireNamed(tx, tenantId, organization);
    await shutGate(tx, tenantId);
    const last = await erase(tx, tenantId);
    const { keys } = last;
    const answers = before.answers + last.answers;
    const deliveries = before.deliveries + last.deliveries;
    const content = {
      erasedBy: who.id,
      erasedAt: await databaseNow(tx),
      reason,
      keysErased: keys,
      answersDropped: answers,
      deliveriesDropped: deliveries,
    };
    const sealKey = idUnderKey(ctx, 'DataKey');
    const result = await ERASURE_RECEIPTS.seal(ctx, sealKey, content, { tx });
    const after = { keys, answers, deliveries, reason };
    const told = () => services.dataKeys.forget(tenantId);
    return { result, id: tenantId, after, told };
  });
}

async function requireNamed(tx: Transaction, id: string, organization: string): Promise<void> {
  const tenant = await tx.tenant.findUniqueOrThrow({ where: { id } });
  const what = 'must be the name of the organization';
  failOnFaults(fits('input.organization', organization === tenant.name, what));
}

/** So many rows of each table are dropped by one statement. */
const ROWS_AT_ONCE = 5_000;

/** Drops most of what is kept, in many short transactions; the erasure finds what is left. */
async function dropInPieces(ctx: AuthorizedCtx): Promise<Omit<Dropped, 'keys'>> {
  const { tenantId } = ctx.who;
  const all = { answers: 0, deliveries: 0 };
  for (;;) {
    const [piece] = await inTransaction(
      ctx,
      {},
      (tx) => tx.$queryRaw<Omit<Dropped, 'keys'>[]>`
        SELECT answers, deliveries
        FROM drop_kept_answers(${tenantId}::uuid, ${ROWS_AT_ONCE}::int)`,
    );
    const { answers, deliveries } = piece ?? { answers: 0, deliveries: 0 };
    all.answers += answers;
    all.deliveries += deliveries;
    // Less than a piece is what is written meanwhile: under steady writes some is always there.
    if (answers + deliveries < ROWS_AT_ONCE) return all;
  }
}

/** So often an erasure stands in line for the gate of the data keys, each time for a second. */
const GATE_TRIES_MAX = 5;

/**
 * Waits for whoever is sealing; whoever comes later waits behind it. Between two tries they pass,
 * so that nobody waits for longer than a statement may take.
 * @throws ledger_unavailable where one write alone has taken longer than all of that
 */
async function shutGate(tx: Transaction, tenantId: string): Promise<void> {
  for (let tries = 0; tries < GATE_TRIES_MAX; tries += 1) {
    const [gate] = await tx.$queryRaw<{ shut: boolean }[]>`
      SELECT shut_data_key_gate(${tenantId}::uuid) AS shut`;
    if (gate?.shut) return;
  }
  fail('ledger_unavailable', { retryAfterMs: AWAY_RETRY_AFTER_MS });
}

async function erase(tx: Transaction, tenantId: string): Promise<Dropped> {
  const [dropped] = await tx.$queryRaw<Dropped[]>`
    SELECT keys, answers, deliveries FROM erase_personal_data(${tenantId}::uuid)`;
  const statement = Prisma.raw(ANY_OPEN.replaceAll('$1', `'${tenantId}'`));
  const [left] = await tx.$queryRaw<{ open: boolean }[]>`${statement}`;
  if (!dropped || left?.open) return fail('personal_data_key_changed');
  return dropped;
}
