import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import type { ContextPolicy, Prisma } from '../../generated/prisma/client.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { database } from '../../graph/database.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { newId } from '../../kernel/ids.js';
import { audit } from '../../records/audit-trail.js';
import { inTransaction } from '../../records/scope.js';
import {
  type ItemInput,
  itemsOf,
  type PolicyInput,
  packFaults,
  policyInputFaults,
  readContextRules,
  rulesOf,
} from './input.rules.js';
import { type ContextEvaluation, evaluateContext } from './rules.js';
import type { ContextRules } from './vocabulary.js';

/** A pack as a caller states it: its parts by themselves, or in one object. */
export interface EvaluationInput {
  readonly id: string;
  readonly items?: readonly ItemInput[] | null;
  readonly asOf?: Date | null;
  readonly contextPack?: {
    readonly items: readonly ItemInput[];
    readonly asOf?: Date | null;
  } | null;
}

/** What a policy says about a pack at a moment. */
export interface DatedEvaluation extends ContextEvaluation {
  readonly policy: ContextPolicy;
  readonly asOf: Date;
}

/**
 * Creates a context policy. It never changes: a changed policy is a new one.
 * @throws invalid_request with every fault
 */
export async function createContextPolicy(
  ctx: AuthorizedCtx,
  input: PolicyInput,
): Promise<ContextPolicy> {
  failOnFaults(
    policyInputFaults(input).map((fault) => ({ ...fault, path: `input.${fault.path}` })),
  );
  const rules = { ...rulesOf(input) };
  const name = input.name?.trim() ?? 'context policy';
  return inTransaction(ctx, {}, async (tx) => {
    const policy = await tx.contextPolicy.create({
      data: {
        id: newId('ContextPolicy'),
        tenantId: ctx.who.tenantId,
        name,
        rules: rules as unknown as Prisma.InputJsonObject,
        createdBy: ctx.who.id,
      },
    });
    await audit(ctx, tx, {
      action: 'contextPolicyCreate',
      subject: 'ContextPolicy',
      subjectId: policy.id,
      after: { name, rules },
    });
    return policy;
  });
}

/**
 * Holds a context pack against a policy; nothing is written. Ages are counted from `asOf`, the
 * present moment by default.
 * @throws invalid_request with every fault, not_found
 */
export async function evaluateContextPolicy(
  ctx: AuthorizedCtx,
  { id, ...input }: EvaluationInput,
): Promise<DatedEvaluation> {
  const { path, items, asOf } = statedPack(input);
  failOnFaults(packFaults(path, items));
  const policy = await database(ctx).contextPolicy.findFirst({ where: { id } });
  if (!policy) {
    return fail('not_found', { values: { subject: 'context policy', id }, param: 'id' });
  }
  const rules = readContextRules(policy.rules);
  return { ...(await evaluatePack(ctx, rules, items, asOf)), policy, asOf };
}

/** What rules say about a pack without faults, its texts counted and judged. */
export async function evaluatePack(
  { services }: Pick<AuthorizedCtx, 'services'>,
  rules: ContextRules,
  items: readonly ItemInput[],
  asOf: Date,
): Promise<ContextEvaluation> {
  const hasText = items.some(({ text }) => text != null);
  const count = hasText ? (await loadTokenizer()).count : () => 0;
  return evaluateContext(rules, itemsOf(items, count, services.judgeText), asOf);
}

function statedPack({ items, asOf, contextPack }: Omit<EvaluationInput, 'id'>) {
  if (items && contextPack) {
    const message = 'Give either items or context_pack, not both.';
    failOnFaults([{ path: 'contextPack', code: 'invalid', message }]);
  }
  const stated = items ?? contextPack?.items;
  if (!stated) {
    const message = 'items is missing: the pack to evaluate, which may be an empty list.';
    failOnFaults([{ path: 'items', code: 'missing', message }]);
  }
  return {
    path: contextPack ? 'contextPack.items' : 'items',
    items: stated ?? [],
    asOf: contextPack?.asOf ?? asOf ?? new Date(),
  };
}
