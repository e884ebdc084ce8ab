import type { JournalEntry } from '../../../generated/prisma/client.js';
import type { Sealable } from '../../../kernel/canonical.js';
import type { ValuesOf } from '../../../kernel/fields/field.js';
import { openedContent, type SealedContent } from '../../../kernel/fields/sealed.js';
import { formatRub } from '../../../kernel/money.js';
import { receiptKind } from '../../../records/receipt-kinds.js';
import { GATE_FIELDS, RUN_FIELDS } from './tables.js';

/** Receipts of gate runs: one for a version under the same samples, models, prices and policies. */
export const GATE_RECEIPTS = receiptKind({
  kind: 'prompt_gate',
  type: 'PromptGateReceipt',
  description: 'What the deterministic gate found of a version of a prompt, sealed once.',
  content: GATE_FIELDS,
  former: inRubles,
});

/** A gate run: what it found, and which receipt holds that. */
export type GateRun = ValuesOf<typeof RUN_FIELDS>;

const opened = new WeakMap<object, GateRun>();

/** The run that an entry of the journal of gates tells of. */
export function gateRunOf({ body }: Pick<JournalEntry, 'body'>): GateRun {
  const sealed = body as SealedContent;
  const run = opened.get(sealed) ?? openedContent(RUN_FIELDS, inRubles(sealed));
  opened.set(sealed, run);
  return run;
}

type FormerCost = SealedContent & { readonly cost_micro?: string | null };

/** Costs were told in micro-rubles once. */
function inRubles(content: SealedContent): SealedContent {
  const cost = content.cost as readonly FormerCost[];
  return {
    ...content,
    cost: cost.map(({ cost_micro: micro, ...rest }): Sealable => {
      if (micro === undefined) return rest;
      return { ...rest, cost_rub: micro === null ? null : formatRub(BigInt(micro)) };
    }),
  };
}
