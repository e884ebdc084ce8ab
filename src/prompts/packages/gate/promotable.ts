import type { Prompt } from '../../../generated/prisma/client.js';
import type { AuthorizedCtx, Transaction } from '../../../graph/ctx.js';
import { canonicalJson } from '../../../kernel/canonical.js';
import { fail } from '../../../kernel/errors/fail.js';
import { sealedContent } from '../../../kernel/fields/sealed.js';
import { latestEntries } from '../../../records/journals.js';
import { evidenceOf } from '../../evaluations/evidence.js';
import { EVIDENCE, type Evidence } from '../../evaluations/evidence-tables.js';
import { GATE_JOURNAL } from '../journal.js';
import type { PromptStatus } from '../vocabulary.js';
import { decisionAgain, failingOf } from './evidence.rules.js';
import { missingOf } from './gate.rules.js';
import { requireKeptCases } from './kept-cases.js';
import { type GateRun, gateRunOf } from './receipt.js';

/** A promotion that needs a gate receipt. */
interface Gated {
  readonly prompt: Prompt;
  readonly version: number;
  readonly to: PromptStatus;
}

/**
 * The receipt of the latest gate run of a version, for a promotion that needs one. It is bound to
 * the content of the version. For production the decision is made again from the sealed evidence,
 * and that evidence must still be what is recorded: of two versions compared with the same
 * one in production, only the first is promoted.
 * @throws prompt_gate_missing where there is none, or it failed; for production
 * prompt_gate_not_measured where it proves nothing, prompt_gate_stale, prompt_cases_replaced
 */
export async function passingReceipt(
  ctx: AuthorizedCtx,
  tx: Transaction,
  { prompt, version, to }: Gated,
): Promise<string> {
  const { id, tenantId } = prompt;
  const row = await tx.promptVersion.findFirstOrThrow({
    where: { promptId: id, tenantId, version },
  });
  const ofVersion = { subject: id, body: { member: 'version', equals: version } };
  const [entry] = await latestEntries(ctx, GATE_JOURNAL, ofVersion, 1, { tx });
  const run = entry && gateRunOf(entry);
  if (!run || run.contentHash !== Buffer.from(row.contentHash).toString('hex')) {
    return refused({ version, to, id }, 'its gate has not run', null);
  }
  const { receiptId } = run;
  if (run.gateStatus === 'fail') {
    const failing = failingOf(run.checks, run.evidence).join(', ');
    return refused({ version, to, id }, `its latest gate run failed (${failing})`, receiptId);
  }
  if (to !== 'production') return receiptId;
  await requireProof(ctx, tx, prompt, run, row);
  return receiptId;
}

async function requireProof(
  ctx: AuthorizedCtx,
  tx: Transaction,
  prompt: Prompt,
  run: GateRun,
  row: Parameters<typeof evidenceOf>[2],
): Promise<void> {
  const { receiptId, version, evidence, checks } = run;
  const again = decisionAgain({ checks, evidence });
  const { id } = prompt;
  const data = { receipt_id: receiptId };
  if (!evidence || !again) return fail('prompt_gate_stale', { values: { version, id }, data });
  if (again.gateStatus !== 'pass') {
    const missing = missingOf(again.checks);
    const values = { version, missing: missing.join(' ') };
    return fail('prompt_gate_not_measured', { values, data: { ...data, missing } });
  }
  const now = await evidenceOf(ctx, prompt, row, { tx });
  if (textOf(now) !== textOf(evidence))
    return fail('prompt_gate_stale', { values: { version, id }, data });
  await requireKeptCases(ctx, tx, prompt, { version, evidence });
}

function textOf(evidence: Evidence): string {
  return canonicalJson(sealedContent(EVIDENCE.fields, evidence));
}

function refused(
  { version, to, id }: { readonly version: number; readonly to: string; readonly id: string },
  reason: string,
  receiptId: string | null,
): never {
  const values = { version, to, reason, id };
  return fail('prompt_gate_missing', { values, data: { receipt_id: receiptId } });
}
