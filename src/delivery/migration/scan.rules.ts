import type { Model } from '../../catalog/providers/model.js';
import { DOCUMENTED_GAPS } from './gaps.js';
import type { KnownGap } from './tables.js';
import {
  CAPABILITIES,
  SEVERITIES,
  type Severity,
  type SourceProvider,
  type UsedCapability,
} from './vocabulary.js';

/** What the models that the policy of the project leaves can do. */
export type Support = 'real' | 'simulated' | 'none';

/** Whether models have a capability; a simulated one counts only where no real one has it. */
export function supportOf(models: Iterable<Model>, capability: UsedCapability): Support {
  const flag = CAPABILITIES.find(capability)?.flag;
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
    ...DOCUMENTED_GAPS.filter(
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
  return SEVERITIES.rows.find(({ code }) => code === severity)?.penalty ?? 0;
}
