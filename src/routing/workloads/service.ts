import { createHash } from 'node:crypto';
import { loadTokenizer } from '../../catalog/providers/tokenizer.js';
import type { AuthorizedCtx, Ctx } from '../../graph/ctx.js';
import { failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { fieldTable, text, type ValuesOf } from '../../kernel/fields/field.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { admit, loadOf, type Places } from './admission.rules.js';
import { dedup } from './dedup.rules.js';
import { CONTRACT_FIELDS, TRANSFORM_RECEIPTS, WORKLOAD_CONTRACTS } from './records.js';
import { type ADMISSION, ADMISSION_INPUT, DEDUP_INPUT, TRANSFORM_FIELDS } from './tables.js';
import { lackingForTransform, transform } from './transform.rules.js';

declare module '../../graph/ctx.js' {
  interface Services {
    /** The places of this node: each request that it serves takes one. */
    readonly places: Places;
  }
}

/** A version of a contract to publish. */
export const CONTRACT_INPUT = fieldTable(
  'WorkloadContractInput',
  'A version of what holds for a workload.',
  CONTRACT_FIELDS,
);

/** A transform that is to be sealed. */
export const TRANSFORM_SEAL_INPUT = fieldTable(
  'ContextTransformSealInput',
  'Transforms of a context that are to be sealed.',
  {
    transformRef: text('What the transform is called; it is sealed once.', { max: 128 }),
    ...TRANSFORM_FIELDS,
  },
);

/**
 * The contract that an input states.
 * @throws invalid_request with every fault
 */
export function statedContract(given: GivenValues): ValuesOf<typeof CONTRACT_FIELDS> {
  const body = inputValues(CONTRACT_INPUT.fields, given);
  failOnFaults(inputFaults(CONTRACT_INPUT.fields, body, 'input'));
  return body;
}

/** Publishes the next version of a contract; it holds from the next request on, on every node. */
export async function publishContract(ctx: AuthorizedCtx, given: GivenValues) {
  const body = statedContract(given);
  return change(
    ctx,
    { action: 'workloadContractPublish', subject: 'WorkloadContract' },
    async (tx) => {
      const result = await WORKLOAD_CONTRACTS.publish(ctx, body, { tx });
      const after = sealedContent(CONTRACT_FIELDS, result.body);
      const told = () => ctx.services.workloads.forget(ctx.who.tenantId);
      return { result, id: result.id, after, told };
    },
  );
}

/**
 * Projects transforms of a context and seals the projection, once for a reference. The text itself
 * is not kept, only its hash.
 * @throws invalid_request with every fault, among them what a hard rule forbids
 */
export async function sealTransform(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(TRANSFORM_SEAL_INPUT.fields, given);
  failOnFaults(inputFaults(TRANSFORM_SEAL_INPUT.fields, asked, 'input'));
  const lacking = lackingForTransform(asked);
  failOnFaults(lacking.flatMap(({ field, what }) => fits(`input.${field}`, false, what)));
  const { transformRef, transforms, dataClass, text: body } = asked;
  const known = await TRANSFORM_RECEIPTS.byKey(ctx, transformRef);
  if (known) return known;
  const { count } = await loadTokenizer();
  const textSha256 = body === null ? null : createHash('sha256').update(body).digest('hex');
  const facts = { transformRef, dataClass, textSha256, transforms, authoritative: false };
  const content = { ...facts, ...transform(asked, count) };
  const name = { action: 'contextTransformSeal', subject: 'SealedReceipt' } as const;
  return change(ctx, name, async (tx) => {
    const result = await TRANSFORM_RECEIPTS.seal(ctx, transformRef, content, { tx });
    return { result, id: result.alreadySealed ? undefined : result.row.id };
  });
}

/** Whether a result that is there may stand for a document of the caller's organization. */
export function planDedup({ who }: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(DEDUP_INPUT.fields, given);
  failOnFaults(inputFaults(DEDUP_INPUT.fields, asked, 'input'));
  return dedup(asked, who.tenantId);
}

/** What this node would do with a request now. */
export function admission(
  { services }: Ctx,
  given: GivenValues,
): ValuesOf<typeof ADMISSION.fields> {
  const { interactionClass } = inputValues(ADMISSION_INPUT.fields, given);
  return admit(interactionClass, loadOf(services.places));
}
