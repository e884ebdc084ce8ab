import type { Fault } from '../../kernel/errors/fail.js';
import { fits, present } from '../../kernel/errors/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { isUuid } from '../../kernel/ids.js';
import { allocate } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import type { RECEIPT_FIELDS, RECEIPT_INPUT } from './tables.js';
import type { CostDimension } from './vocabulary.js';

type Stated = ValuesOf<typeof RECEIPT_INPUT.fields>;
type Sealed = ValuesOf<typeof RECEIPT_FIELDS>;
type Item = Sealed['items'][number];

/** What a usage row says of the cost of its request. Prices in micro-rubles per million tokens. */
export interface UsedTokens {
  readonly id: string;
  readonly feature: string | null;
  readonly model: string;
  readonly requestedModel: string;
  readonly attempts: number;
  readonly amountMicro: bigint;
  readonly vatMicro: bigint;
  readonly tokens: readonly (readonly [CostDimension, number, bigint])[];
  /** Whether a model answered that stood in for the one that was asked. */
  readonly fellBack: boolean;
  readonly provenance: Provenance;
}

/**
 * A receipt is sealed for ever, so one of no request states what at least one part costs. That may
 * be 0; where nothing is stated, nothing is sealed.
 */
export function receiptFaults(stated: Stated): Fault[] {
  const { requestId, tokensMicro, toolsMicro, retriesMicro, fallbackMicro, markupMicro } = stated;
  if (requestId !== null) return ofRowFaults(stated);
  const parts = [tokensMicro, toolsMicro, retriesMicro, fallbackMicro, markupMicro];
  const known = parts.find((part) => part !== null);
  return present('input.tokensRub', known, 'is needed, or the cost of another part, or a request');
}

/** What the usage row of the request says is not stated beside it. */
function ofRowFaults(stated: Stated): Fault[] {
  const figures = [
    ['receiptRef', stated.receiptRef === null],
    ['inputTokens', stated.inputTokens === 0],
    ['cachedTokens', stated.cachedTokens === 0],
    ['outputTokens', stated.outputTokens === 0],
    ['tokensRub', stated.tokensMicro === null],
  ] as const;
  return figures.flatMap(([name, isLeftOut]) =>
    fits(`input.${name}`, isLeftOut, 'must be left out: the request says it'),
  );
}

const STATED = 'stated:';
const OF_REQUEST = 'request:';

/**
 * The keys that a cost may be sealed under; the first one that is free is taken. The id of a
 * request is never the key of a cost that was stated; where one was sealed under it before these
 * were told apart, the request has a key beside it.
 */
export function receiptKeys(ref: string, requestId: string | null): string[] {
  if (requestId !== null) return [ref, OF_REQUEST + ref];
  const isReserved = isUuid(ref) || ref.startsWith(STATED) || ref.startsWith(OF_REQUEST);
  // Under its plain reference it may have been sealed before.
  return isReserved ? [STATED + ref, ref] : [ref];
}

/** Whether a receipt that was found is of this request, or was stated under this reference. */
export function isOf(
  receipt: Pick<Sealed, 'receiptRef' | 'requestId'>,
  ref: string,
  requestId: string | null,
): boolean {
  return receipt.receiptRef === ref && receipt.requestId === requestId;
}

/**
 * A cost with its parts, which add up to its total to the micro-ruble: the charge of a request is
 * shared by tokens × price, the largest remainders first.
 */
export function itemized(stated: Stated, used: UsedTokens | undefined, ref: string): Sealed {
  const items = [
    ...(used ? recordedItems(used) : statedTokens(stated)),
    ...statedItems(stated, used),
  ];
  const totalMicro = items.reduce((sum, { costMicro }) => sum + costMicro, 0n);
  const isStated = items.some((each) => each.provenance === 'declared' && each.costMicro > 0n);
  return {
    receiptRef: ref,
    requestId: used?.id ?? null,
    useCase: stated.useCase ?? used?.feature ?? null,
    model: used?.model ?? null,
    requestedModel: used?.requestedModel ?? null,
    items,
    totalMicro,
    vatMicro: used?.vatMicro ?? 0n,
    provenance: used && !isStated ? used.provenance : 'declared',
  };
}

function recordedItems(used: UsedTokens): Item[] {
  const { tokens, amountMicro, attempts, fellBack, provenance } = used;
  const weights = tokens.map(([, count, price]) => BigInt(count) * price);
  const isFree = weights.every((weight) => weight === 0n);
  const parts = isFree ? weights : allocate(amountMicro, weights);
  const item = (dimension: CostDimension, quantity: number, costMicro = 0n): Item => ({
    dimension,
    quantity,
    costMicro,
    provenance,
  });
  const dimensions = [...new Set(tokens.map(([dimension]) => dimension))];
  return [
    ...dimensions.map((dimension) => {
      const own = tokens.flatMap((each, index) => (each[0] === dimension ? [index] : []));
      const count = own.reduce((sum, index) => sum + (tokens[index]?.[1] ?? 0), 0);
      const cost = own.reduce((sum, index) => sum + (parts[index] ?? 0n), 0n);
      return item(dimension, count, cost);
    }),
    item('retries', Math.max(0, attempts - 1)),
    item('fallback', fellBack ? 1 : 0),
  ];
}

function statedTokens({ inputTokens, cachedTokens, outputTokens, tokensMicro }: Stated): Item[] {
  const counts = [inputTokens, cachedTokens, outputTokens] as const;
  const weights = counts.map(BigInt);
  const hasTokens = weights.some((weight) => weight > 0n);
  const parts = hasTokens ? allocate(tokensMicro ?? 0n, weights) : [tokensMicro ?? 0n, 0n, 0n];
  const dimensions = ['input_tokens', 'cached_tokens', 'output_tokens'] as const;
  return dimensions.map((dimension, index) => ({
    dimension,
    quantity: counts[index] ?? 0,
    costMicro: parts[index] ?? 0n,
    provenance: 'declared',
  }));
}

/** Retries and fallbacks of a request are on its row already; a cost that is stated adds to it. */
function statedItems(stated: Stated, used: UsedTokens | undefined): Item[] {
  const { toolCalls, retries } = stated;
  const [tools, retried, fallback, markup] = [
    stated.toolsMicro ?? 0n,
    stated.retriesMicro ?? 0n,
    stated.fallbackMicro ?? 0n,
    stated.markupMicro ?? 0n,
  ];
  const parts: readonly (readonly [CostDimension, number, bigint])[] = [
    ['tools', toolCalls, tools],
    ['retries', retries ?? (retried > 0n ? 1 : 0), retried],
    ['fallback', fallback > 0n ? 1 : 0, fallback],
    ['markup', markup > 0n ? 1 : 0, markup],
  ];
  return parts
    .filter(([dimension, , cost]) => {
      const isOnRow = dimension === 'retries' || dimension === 'fallback';
      return !used || !isOnRow || cost > 0n;
    })
    .map(([dimension, quantity, costMicro]) => ({
      dimension,
      quantity,
      costMicro,
      provenance: 'declared',
    }));
}
