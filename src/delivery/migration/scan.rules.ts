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
  return used.flatMap((capability) => {
    const documented = DOCUMENTED_GAPS.filter(
      (gap) => gap.capability === capability && (gap.provider ?? source) === source,
    ).map(({ provider: _provider, description: gap, ...rest }) => ({ ...rest, gap }));
    const registered = REGISTRY_GAPS[supportFor(capability)];
    return [...registered.map((gap) => ({ ...gap, capability })), ...documented];
  });
}

/** What the registry lacks, by what its models can do. */
const REGISTRY_GAPS: Readonly<Record<Support, readonly Omit<KnownGap, 'capability'>[]>> = {
  real: [],
  none: [
    {
      code: 'no_model',
      gap: 'No callable model that the policy of the project allows has this.',
      severity: 'blocking',
      workaround: 'Allow a model with the capability in the policy, or ask the operator for one.',
    },
  ],
  simulated: [
    {
      code: 'only_simulated',
      gap: 'Only the simulated sandbox has this on this server.',
      severity: 'minor',
      workaround: 'Ask the operator to set up a provider before production traffic moves.',
    },
  ],
};

/** The score of gaps, from 0 to 100: more of them, or graver ones, never raise it. */
export function scoreOf(gaps: readonly { readonly severity: Severity }[]): number {
  const penaltyOf = (severity: Severity) => SEVERITIES.find(severity)?.penalty ?? 0;
  return Math.max(
    0,
    gaps.reduce((left, { severity }) => left - penaltyOf(severity), 100),
  );
}
