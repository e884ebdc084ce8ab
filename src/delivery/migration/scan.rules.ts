import type { Model } from '../../catalog/providers/model.js';
import type { DocumentedGap } from './gaps.js';
import { DOCUMENTED_GAPS } from './gaps.js';
import {
  CAPABILITIES,
  SEVERITIES,
  type Severity,
  type SourceProvider,
  type UsedCapability,
} from './vocabulary.js';

/** A gap that concerns a client, as it is stored and shown. */
export interface KnownGap {
  readonly code: string;
  readonly capability: UsedCapability;
  readonly gap: string;
  readonly severity: Severity;
  readonly workaround: string;
}

/** What a scan found. It is a lookup of documented gaps and of the registry, not a live probe. */
export interface Scan {
  readonly used_capabilities: readonly UsedCapability[];
  /** From 0 to 100, by `SCORE_FORMULA`. */
  readonly score: number;
  readonly known_gaps: readonly KnownGap[];
  readonly scanned_at: string;
}

/** What the models that the policy of the project leaves can do. */
export type Support = 'real' | 'simulated' | 'none';

const GAPS: readonly DocumentedGap[] = DOCUMENTED_GAPS;

/** Whether models have a capability; a simulated one counts only where no real one has it. */
export function supportOf(models: Iterable<Model>, capability: UsedCapability): Support {
  const flag = CAPABILITIES.find(({ code }) => code === capability)?.flag;
  const operation = capability === 'embeddings' ? 'embeddings' : 'chat';
  const able = [...models].filter(
    (model) =>
      model.operation === operation && flag !== undefined && model.capabilities.includes(flag),
  );
  if (able.length === 0) return 'none';
  return able.some(({ simulated }) => !simulated) ? 'real' : 'simulated';
}

/** The gaps of a client that comes from a source and uses capabilities, in the order of both. */
export function knownGaps(
  source: SourceProvider,
  used: readonly UsedCapability[],
  supportFor: (capability: UsedCapability) => Support,
): KnownGap[] {
  return used.flatMap((capability) => [
    ...registryGaps(capability, supportFor(capability)),
    ...GAPS.filter(
      (gap) => gap.capability === capability && (gap.provider ?? source) === source,
    ).map(({ code, severity, description, workaround }) => ({
      code,
      capability,
      gap: description,
      severity,
      workaround,
    })),
  ]);
}

function registryGaps(capability: UsedCapability, support: Support): KnownGap[] {
  if (support === 'real') return [];
  if (support === 'none') {
    return [
      {
        code: 'no_model',
        capability,
        gap: 'No callable model that the policy of the project allows has this.',
        severity: 'blocking',
        workaround: 'Allow a model with the capability in the policy, or ask the operator for one.',
      },
    ];
  }
  return [
    {
      code: 'only_simulated',
      capability,
      gap: 'Only the simulated sandbox has this on this server.',
      severity: 'minor',
      workaround: 'Ask the operator to set up a provider before production traffic moves.',
    },
  ];
}

/** The score of gaps, from 0 to 100: more of them, or graver ones, never raise it. */
export function scoreOf(gaps: readonly { readonly severity: Severity }[]): number {
  const lost = gaps.reduce((sum, gap) => sum + penaltyOf(gap.severity), 0);
  return Math.max(0, 100 - lost);
}

function penaltyOf(severity: Severity): number {
  const row = SEVERITIES.find(({ code }) => code === severity);
  if (!row) throw new RangeError(`no severity ${severity}`);
  return row.penalty;
}
