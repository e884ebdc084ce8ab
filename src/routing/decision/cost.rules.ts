import type { Features, RouteDeployment } from './tables.js';
import { EXPECTED_OUTPUT_TOKENS } from './vocabulary.js';

/** An image of 1,024 pixels a side by the published rule of tiles, and any in low detail. */
export const IMAGE_TOKENS = 765;
export const IMAGE_TOKENS_LOW = 85;

/** About how many tokens a request has for one who counts images so. */
export function inputTokensAbout(
  { textTokens, images, imagesLow }: Pick<Features, 'textTokens' | 'images' | 'imagesLow'>,
  imageTokensMax: number,
): number {
  if (images === 0 && imagesLow === 0) return textTokens;
  return (
    textTokens +
    images * Math.min(IMAGE_TOKENS, imageTokensMax) +
    imagesLow * Math.min(IMAGE_TOKENS_LOW, imageTokensMax)
  );
}

/** List prices as numbers, made once for each deployment of a situation. */
interface Prices {
  readonly input: number;
  readonly output: number;
}

const prices = new WeakMap<RouteDeployment, Prices>();

function pricesOf(deployment: RouteDeployment): Prices {
  let known = prices.get(deployment);
  if (known === undefined) {
    known = {
      input: Number(deployment.inputMicroPerMillion ?? 0n),
      output: Number(deployment.outputMicroPerMillion ?? 0n),
    };
    prices.set(deployment, known);
  }
  return known;
}

/**
 * What a request is expected to cost with a deployment, in micro-rubles rounded up: its tokens at
 * the list price, and the answer as long as it may be, or of `EXPECTED_OUTPUT_TOKENS`. Binary
 * floating point is exact up to 2^53 and the same on every machine beyond it. Not for billing.
 */
export function expectedCostMicro(features: Features, deployment: RouteDeployment): number {
  const { input, output } = pricesOf(deployment);
  const inputTokens = inputTokensAbout(features, deployment.imageTokensMax);
  const limit = features.outputTokensMax ?? EXPECTED_OUTPUT_TOKENS;
  const outputTokens = Math.min(limit, deployment.maxOutputTokens) * features.choices;
  return Math.ceil((inputTokens * input + outputTokens * output) / 1_000_000);
}
