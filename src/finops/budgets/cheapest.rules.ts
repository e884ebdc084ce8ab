import type { Model } from '../../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../../catalog/providers/price.js';

/** The request by which prices are compared: tokens in, tokens out. */
const COMPARED = { inputTokens: 1_000, outputTokens: 1_000 } as const;

/**
 * The chat model with the lowest price on a day for a thousand tokens in and out; a simulated one
 * only where no other can be called, of equal ones the first by its name.
 * @returns null where no chat model can be called
 */
export function cheapestModel(models: ReadonlyMap<string, Model>, day: string): string | null {
  const priced = [...models.values()].flatMap((model) => {
    const price = model.operation === 'chat' ? priceOn(model.prices, day) : undefined;
    const cost = price && upperEstimate(COMPARED.inputTokens, COMPARED.outputTokens, price);
    return cost === undefined ? [] : [{ id: model.id, simulated: model.simulated, cost }];
  });
  const real = priced.filter(({ simulated }) => !simulated);
  const [first] = (real.length > 0 ? real : priced).sort(
    (left, right) => Number(left.cost - right.cost) || (left.id < right.id ? -1 : 1),
  );
  return first?.id ?? null;
}
