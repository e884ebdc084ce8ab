import type { ValuesOf } from '../../kernel/fields/field.js';
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
  const parts = hasTokens ? allocate(tokensMicro, weights) : [tokensMicro, 0n, 0n];
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
  const { toolCalls, toolsMicro, retries, retriesMicro, fallbackMicro, markupMicro } = stated;
  const parts: readonly (readonly [CostDimension, number, bigint])[] = [
    ['tools', toolCalls, toolsMicro],
    ['retries', retries, retriesMicro],
    ['fallback', fallbackMicro > 0n ? 1 : 0, fallbackMicro],
    ['markup', markupMicro > 0n ? 1 : 0, markupMicro],
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
