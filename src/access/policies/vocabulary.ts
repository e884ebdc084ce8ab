import type { UnreadModes } from '../../kernel/firewall/contents.js';
import type { OwnClassRule } from '../../kernel/firewall/own-classes.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';

/** Which data routes a request may take. */
export const HYBRID_MODES = [
  {
    code: 'rf_only',
    description: 'Only routes inside Russia, whatever the data.',
  },
  {
    code: 'hybrid',
    description:
      'Routes outside are allowed for data below class C3; the class is that of the text as the ' +
      'client sent it, also where the firewall masks it.',
  },
  {
    code: 'any',
    description:
      'As hybrid, but the class is that of the text that leaves: masked personal data no longer ' +
      'counts. Unmasked data of class C3 and above never leaves Russia.',
  },
] as const;

/** A hybrid mode, strictest first in HYBRID_MODES. */
export type HybridMode = (typeof HYBRID_MODES)[number]['code'];

/** Bounds of each limit of a policy; a value outside is refused, never clamped. */
export const LIMIT_BOUNDS = {
  rpm: { min: 1, max: 1_000_000, description: 'Requests per minute.' },
  tpm: { min: 1, max: 1_000_000_000, description: 'Tokens per minute, prompt and answer.' },
  concurrency: { min: 1, max: 100_000, description: 'Requests at the same time.' },
  maxOutputTokens: {
    min: 1,
    max: 1_000_000,
    description: 'Upper bound of the answer; a larger or missing max_tokens is lowered to it.',
  },
} as const;

/** A numeric limit of a policy. */
export type LimitName = keyof typeof LIMIT_BOUNDS;

/** Most models that an allow-list may name. */
export const ALLOWED_MODELS_MAX = 500;

/** Days of recorded traffic that a dry run replays. */
export const DRY_RUN_DAYS = 7;

/** What a policy says; absent parts do not limit. Amounts are micro-rubles. */
export interface PolicyRules {
  readonly budgets: { readonly dailyMicro?: bigint; readonly monthlyMicro?: bigint };
  readonly allowedModels?: readonly string[];
  readonly limits: { readonly [name in LimitName]?: number };
  readonly hybrid?: HybridMode;
  /** The least class that the data of requests has; absent where the policy states none. */
  readonly dataClassMin?: DataClass;
  readonly firewall: Readonly<Record<string, string>>;
  /** Classes of finding that the policy defines; absent where it defines none. */
  readonly firewallCustom?: readonly OwnClassRule[];
  /** What is done about content that the firewall cannot read, by kind; absent as others are. */
  readonly firewallUnread?: Partial<UnreadModes>;
}
