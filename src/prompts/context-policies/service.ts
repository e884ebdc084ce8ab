import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import type { ContextPolicy, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits, present } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { newId } from '../../kernel/ids.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { itemsOf, packFaults, readContextRules } from './input.rules.js';
import { evaluateContext } from './rules.js';
import {
  type ContextEvaluation,
  type ContextRules,
  type EVALUATION,
  type ItemInput,
  PACK_INPUT,
  POLICY_INPUT,
} from './tables.js';

/** A pack as a caller states it: its parts by themselves, or in one object. */
export interface EvaluationInput {
  readonly id: string;
  readonly items?: readonly GivenValues[] | null;
  readonly asOf?: Date | null;
  readonly contextPack?: GivenValues | null;
}

/**
 * Creates a context policy. It never changes: a changed policy is a new one.
 * @throws invalid_request with every fault
 */
export function createContextPolicy(
  ctx: AuthorizedCtx,
  input: GivenValues,
): Promise<ContextPolicy> {
  const values = inputValues(POLICY_INPUT.fields, input);
  failOnFaults(inputFaults(POLICY_INPUT.fields, values, 'input'));
  const { name: stated, ...rules } = values;
  const name = stated.trim();
  const made = { action: 'contextPolicyCreate', subject: 'ContextPolicy' };
  return change(ctx, made, async (tx) => {
    const id = newId('ContextPolicy');
    const { tenantId, id: createdBy } = ctx.who;
    const data = { id, tenantId, name, rules: rules as Prisma.InputJsonObject, createdBy };
    return { result: await tx.contextPolicy.create({ data }), id, after: { name, rules } };
  });
}

/**
 * Holds a context pack against a policy; nothing is written. Ages are counted from `asOf`, the
 * present moment by default.
 * @throws invalid_request with every fault, not_found
 */
export async function evaluateContextPolicy(
  ctx: AuthorizedCtx,
  { id: policyId, ...input }: EvaluationInput,
): Promise<ValuesOf<typeof EVALUATION.fields>> {
  const { path, items, asOf } = statedPack(input);
  failOnFaults(packFaults(path, items));
  const policy = await requireOwn(ctx, 'ContextPolicy', policyId);
  const rules = readContextRules(policy.rules);
  return { ...(await evaluatePack(ctx, rules, items, asOf)), policyId, asOf };
}

/** What rules say about a pack without faults, its texts counted and judged. */
export async function evaluatePack(
  { services, who }: Pick<AuthorizedCtx, 'services' | 'who'>,
  rules: ContextRules,
  items: readonly ItemInput[],
  asOf: Date,
): Promise<ContextEvaluation> {
  const texts = items.flatMap(({ text }) => (text === null ? [] : [text]));
  const count = texts.length > 0 ? (await loadTokenizer()).count : () => 0;
  const judgements = await services.judgeTexts(texts, who.tenantId);
  return evaluateContext(rules, itemsOf(items, count, judgements), asOf);
}

function statedPack({ items, asOf, contextPack }: Omit<EvaluationInput, 'id'>) {
  if (items && contextPack) {
    failOnFaults(fits('contextPack', false, 'cannot be given beside `items`'));
  }
  const given = contextPack ?? { items, asOf };
  failOnFaults(present('items', given.items, 'is missing: the pack, which may be an empty list'));
  const pack = inputValues(PACK_INPUT.fields, given);
  const path = contextPack ? 'contextPack.items' : 'items';
  return { path, items: pack.items, asOf: pack.asOf ?? asOf ?? sharedNow() };
}
