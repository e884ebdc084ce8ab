import type { Features } from './tables.js';
import { EXPECTED_OUTPUT_TOKENS } from './vocabulary.js';
import type { WeighableDeployment } from './weighable.rules.js';

/** An image of 1,024 pixels a side by the published rule of tiles, and any in low detail. */
export const IMAGE_TOKENS = 765;
export const IMAGE_TOKENS_LOW = 85;

/** About how many tokens a request has for one who counts images so. */
function inputTokensAbout(
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

/** What one window must hold: as counted, else about the request itself or its mean text. */
export function windowTokensAbout(features: Features, imageTokensMax: number): number {
  if (features.windowTokens !== null) return features.windowTokens;
  return Math.ceil(inputTokensAbout(features, imageTokensMax) / features.inputs);
}

/**
 * What a request is expected to cost with a deployment, in micro-rubles rounded up: its tokens at
 * the list price, and the answer as long as it may be, or of `EXPECTED_OUTPUT_TOKENS`. Binary
 * floating point is exact up to 2^53 and the same on every machine beyond it. Not for billing.
 */
export function expectedCostMicro(features: Features, deployment: WeighableDeployment): number {
  const { inputPrice, outputPrice } = deployment;
  const inputTokens = inputTokensAbout(features, deployment.imageTokensMax);
  const limit = features.outputTokensMax ?? EXPECTED_OUTPUT_TOKENS;
  const outputTokens = Math.min(limit, deployment.maxOutputTokens) * features.choices;
  return Math.ceil((inputTokens * inputPrice + outputTokens * outputPrice) / 1_000_000);
}
