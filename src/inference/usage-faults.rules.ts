import type { UsageVector } from '../catalog/providers/price.js';

/** Why the usage that a provider reported was not billed. */
export const USAGE_FAULTS = ['parts_exceed_whole', 'far_from_local_count'] as const;

/** Why the usage that a provider reported was not billed. */
export type UsageFault = (typeof USAGE_FAULTS)[number];

/**
 * The published distance: a reported count may be up to four times the local count, or a quarter of
 * it, beyond an allowance for what templates of chats and tools add. Tokenizers of the market lie
 * within half and twice of each other on Russian and English prose.
 */
const USAGE_DISTANCE = { factor: 4, templateTokens: 64, toolsTokens: 512 } as const;

/** How many bytes of text a token has at least and at most, but for texts of one repeated sign. */
const BYTES_PER_TOKEN = { min: 3, max: 16 } as const;

/** Whether a reported count lies beyond the published distance from a local one. */
export function isFar(reported: number, local: number, hasTools: boolean): boolean {
  return isFarAbove(reported, local, hasTools) || isFarAbove(local, reported, hasTools);
}

/**
 * Whether a reported count may be far from the local one of a text, so that the text is worth being
 * counted. Most are spared that: by their bytes, else by the tokens that they have at least.
 */
export function mayBeFar(
  reported: number,
  text: { readonly bytes: number; readonly tokensMin: () => number },
  hasTools: boolean,
): boolean {
  const { min, max } = BYTES_PER_TOKEN;
  if (isFarAbove(text.bytes / min, reported, hasTools)) return true;
  return (
    isFarAbove(reported, text.bytes / max, hasTools) &&
    isFarAbove(reported, text.tokensMin(), hasTools)
  );
}

function isFarAbove(count: number, other: number, hasTools: boolean): boolean {
  const { factor, templateTokens, toolsTokens } = USAGE_DISTANCE;
  return count > other * factor + templateTokens + (hasTools ? toolsTokens : 0);
}

/** All input tokens of a vector. */
export function inputOf({ input_uncached, input_cached, cache_write }: UsageVector): number {
  return input_uncached + input_cached + cache_write;
}
