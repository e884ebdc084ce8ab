import type { Prompt } from '../../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../../graph/ctx.js';
import { fail } from '../../../kernel/errors/fail.js';
import { latestEntries } from '../../../records/journals.js';
import { casesOf } from '../../evaluations/case-sets.js';
import type { Evidence } from '../../evaluations/evidence-tables.js';
import { keepsCases } from '../../evaluations/kept-cases.rules.js';
import { GATE_JOURNAL } from '../journal.js';
import { gateRunOf } from './receipt.js';

/** The right to put other cases in the place of those that production rests on. */
const REPLACING = 'approvals.decide';

/**
 * A version goes to production by the cases that the version there was promoted by, and further
 * ones. Whoever may not approve puts no other or fewer cases in their place: a set that anything
 * passes would let them decide alone.
 * @throws prompt_cases_replaced
 */
export async function requireKeptCases(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { id, tenantId }: Prompt,
  { version, evidence }: { readonly version: number; readonly evidence: Evidence },
): Promise<void> {
  if (ctx.who.permissions.has(REPLACING) || evidence.caseSetId === null) return;
  const stage = await tx.promptStage.findFirst({
    where: { promptId: id, tenantId, status: 'production', version: { not: version } },
  });
  if (!stage?.receiptId) return;
  const ofReceipt = { subject: id, body: { member: 'receipt_id', equals: stage.receiptId } };
  const [entry] = await latestEntries(ctx, GATE_JOURNAL, ofReceipt, 1, { tx });
  const before = entry && gateRunOf(entry).evidence;
  if (!before?.caseSetId || before.caseSetId === evidence.caseSetId) return;
  const sets = await tx.promptCaseSet.findMany({
    where: { promptId: id, tenantId, id: { in: [before.caseSetId, evidence.caseSetId] } },
  });
  const [earlier, later] = [before.caseSetId, evidence.caseSetId].map((setId) => {
    const { passShareMin, significance, ...row } = requireSet(sets, setId);
    return { cases: casesOf(row), passShareMin, significance };
  });
  if (earlier && later && keepsCases(earlier, later, evidence.targets)) return;
  const set = before.caseSetVersion ?? 0;
  fail('prompt_cases_replaced', { values: { version, set, production: stage.version, id } });
}

function requireSet<T extends { readonly id: string }>(sets: readonly T[], id: string): T {
  const found = sets.find((each) => each.id === id);
  if (!found) throw new TypeError(`there is no case set ${id}`);
  return found;
}
