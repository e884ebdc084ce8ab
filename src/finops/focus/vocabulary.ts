import type { UsageDimension } from '../../catalog/providers/vocabulary.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import type { USAGE_OPERATIONS } from '../../money/billing/vocabulary.js';

/**
 * The words of FOCUS 1.2, the FinOps Open Cost and Usage Specification, as far as the export uses
 * them. Source: repository FinOps-Open-Cost-and-Usage-Spec/FOCUS_Spec, tag v1.2 (May 2025),
 * `specification/columns` and `specification/attributes`; each constant names its file there.
 */
export const FOCUS_VERSION = '1.2';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** How long a charge period is, and how many days a window of such periods has at most. */
export const FOCUS_GRANULARITIES = vocabulary(
  'FocusGranularity',
  'How long a charge period of the FOCUS export is.',
  [
    {
      code: 'day',
      description: 'Days of Moscow time, as tax goes by them.',
      ms: DAY_MS,
      days: 366,
    },
    { code: 'hour', description: 'Hours, for windows of at most 31 days.', ms: HOUR_MS, days: 31 },
  ],
);

/** How long a charge period is. */
export type FocusGranularity = CodeOf<typeof FOCUS_GRANULARITIES>;

/**
 * `chargecategory.md`. There is no `Purchase`: a top-up is an advance in rubles that stays the
 * customer's until requests are charged. It acquires no service, and the usage that it pays for is
 * billed in full; to list both would bill it twice.
 */
export const FOCUS_CHARGE_CATEGORIES = vocabulary(
  'FocusChargeCategory',
  'What kind of charge a row of the FOCUS export is, in the words of FOCUS.',
  [
    { code: 'Usage', description: 'Tokens that were used, or given back by a refund.' },
    { code: 'Tax', description: 'The VAT of the charges beside it.' },
    { code: 'Credit', description: 'Funds that the operator gave.' },
    {
      code: 'Adjustment',
      description: 'A correction by the operator, or a refund that names no charge.',
    },
  ],
);

/** `chargeclass.md`; null is every charge that corrects no billing period of before. */
export const FOCUS_CHARGE_CLASSES = vocabulary(
  'FocusChargeClass',
  'Whether a row of the FOCUS export corrects an earlier billing period.',
  [{ code: 'Correction', description: 'Gives back a charge of an earlier billing period.' }],
);

/** What a group of charges comes from. */
export type FocusChargeKind = 'usage' | 'refund' | 'unnamed_refund' | 'credit' | 'adjustment';

/** `skumeter.md`: the display name of each part of usage, in the order of its rows. */
export const METER_NAMES: Readonly<Record<UsageDimension, string>> = {
  input_uncached: 'Input Tokens',
  input_cached: 'Cached Input Tokens',
  cache_write: 'Cache Write Tokens',
  output_text: 'Output Tokens',
  output_reasoning: 'Reasoning Tokens',
};

/** What was purchased: its name and its place in the lists of FOCUS. */
interface FocusService {
  readonly name: string;
  readonly subcategory: string;
}

/** `servicecategory.md`: what everything here is for. */
export const SERVICE_CATEGORY = 'AI and Machine Learning';

/** `servicename.md`, `servicesubcategory.md`: one subcategory for each service. */
export const FOCUS_SERVICES: Readonly<
  Record<CodeOf<typeof USAGE_OPERATIONS> | 'account', FocusService>
> = {
  chat: { name: 'Chat Completions', subcategory: 'Generative AI' },
  embeddings: { name: 'Embeddings', subcategory: 'Natural Language Processing' },
  account: { name: 'Gateway Account', subcategory: 'AI Platforms' },
};

/** `unitformat.md`: what is counted, and what a price is for. */
export const FOCUS_UNITS = { consumed: 'Tokens', pricing: '1000000 Tokens' } as const;

/** How many tokens a price is for. */
export const TOKENS_PER_PRICE = 1_000_000n;

/** `chargefrequency.md`. */
export const FREQUENCIES = { usage: 'Usage-Based', once: 'One-Time' } as const;

/** `pricingcategory.md`: every price is that of the published list. */
export const PRICING_CATEGORY = 'Standard';

/** `regionid.md`: data routes that are a region; what leaves Russia has none that is known. */
export const REGION_NAMES: Readonly<Record<string, string>> = { rf: 'Russia' };
