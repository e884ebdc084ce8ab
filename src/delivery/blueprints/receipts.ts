import {
  fieldTable,
  list,
  object,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import { formatRub } from '../../kernel/money.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { RUN_VERDICT, STEP } from './run-tables.js';
import { DEPLOYMENT_FACTS } from './tables.js';

const VERSION = text('The version that the manifest states.');

/** What each receipt of a run begins with. */
export const RUN_FACTS = {
  runId: uuid('The run that is sealed.'),
  blueprintId: text('The slug of the blueprint.'),
  blueprintVersion: VERSION,
  manifestHash: sha256('SHA-256 of the manifest that was run.'),
} as const;

/** What each receipt of a run begins with. */
export type RunFacts = ValuesOf<typeof RUN_FACTS>;

const NAMED_STEP = fieldTable('BlueprintNamedStep', 'A step by the hash of its receipt.', {
  step: text('The step of the manifest.'),
  sha256: sha256('The hash of its receipt.'),
});

/** A content whose money was spelt as micro-rubles under `<noun>_micro`. */
function formerRubles(content: SealedContent, noun: string): SealedContent {
  const { [`${noun}_micro`]: micro, ...rest } = content;
  if (micro === undefined) return content;
  return { ...rest, [`${noun}_rub`]: micro === null ? null : formatRub(BigInt(String(micro))) };
}

/** A step that was kept under earlier names; one of today stays as it is. */
export function formerStep(content: SealedContent): SealedContent {
  const { id, attempts, ...rest } = formerRubles(content, 'cost');
  const requests = (attempts ?? []) as readonly SealedContent[];
  return {
    step: id ?? null,
    ...rest,
    attempts: requests.map((each) => formerRubles(each, 'cost')),
  };
}

/**
 * A business result that was kept under earlier names, or before results had a proof: then only
 * simulated models could be asked. One of today stays as it is.
 */
export function formerResult(content: SealedContent): SealedContent {
  return { proof: 'simulated', checks: [], ...formerRubles(content, 'cost_per_unit') };
}

/** Receipts of steps: once for a run and a step. */
export const STEP_RECEIPTS = receiptKind({
  kind: 'blueprint_step',
  type: 'BlueprintStepReceipt',
  description: 'The receipt of a step of a run.',
  content: { ...RUN_FACTS, step: object(STEP, 'The step, as it went.') },
  former: (content) => ({ ...content, step: formerStep(content.step as SealedContent) }),
});

/** Receipts of runs: once for a run. */
export const RUN_RECEIPTS = receiptKind({
  kind: 'blueprint_run',
  type: 'BlueprintRunReceipt',
  description: 'The receipt of a run, which names those of its steps by their hashes.',
  content: {
    ...RUN_FACTS,
    ...RUN_VERDICT,
    steps: list(object(NAMED_STEP, 'A step.'), 'The steps that have ended, in order.'),
  },
  former: (content) => ({
    ...formerRubles(content, 'cost'),
    business_result: formerResult(content.business_result as SealedContent),
  }),
});

/** Receipts of deployments: once for a deployment. */
export const DEPLOYMENT_RECEIPTS = receiptKind({
  kind: 'blueprint_deployment',
  type: 'BlueprintDeploymentReceipt',
  description: 'The receipt of a deployment.',
  content: {
    deploymentId: uuid('The deployment that is sealed.'),
    blueprintVersion: VERSION,
    ...DEPLOYMENT_FACTS,
  },
});
