import { describe, expect, it } from 'vitest';
import { shownBody } from '../../../src/catalog/fleet/change.js';
import { PROVIDER_CHANGE } from '../../../src/catalog/fleet/tables.js';
import { type ChangeKind, PROVIDER_CHANGES } from '../../../src/catalog/fleet/vocabulary.js';
import type { Sealable } from '../../../src/kernel/canonical.js';
import { openedKept } from '../../../src/kernel/fields/kept.js';

const LIMITS = { requestsPerMinute: 600, tokensPerMinute: null, concurrentRequests: null };
const DEFINITION = { id: 'new', models: [{ upstream_name: 'm' }] };

/** What each kind of change keeps, and what is shown of it. */
const BODIES: readonly (readonly [ChangeKind, object, object | null])[] = [
  [
    'price_added',
    { effective_from: '2031-01-01', vat_basis: 'included', input: '1.50', output: '3.00' },
    {
      __typename: 'DeploymentPrice',
      effectiveFrom: '2031-01-01',
      inputMicro: 1_500_000n,
      inputCachedMicro: null,
      cacheWriteMicro: null,
      outputMicro: 3_000_000n,
      outputReasoningMicro: null,
      vatBasis: 'included',
    },
  ],
  ['provider_health_set', { override: 'auto' }, { __typename: 'ProviderHealth', override: 'auto' }],
  [
    'deployment_health_set',
    { override: 'forced_up' },
    { __typename: 'ProviderHealth', override: 'forced_up' },
  ],
  [
    'selection_set',
    { selection: 'ordered' },
    { __typename: 'ModelSelectionChoice', selection: 'ordered' },
  ],
  ['weight_set', { weight: 3 }, { __typename: 'DeploymentWeight', weight: 3 }],
  ['limits_set', { requests_per_minute: 600 }, { __typename: 'DeploymentLimits', ...LIMITS }],
  ['limits_set', {}, null],
  ['provider_declared', DEFINITION, { __typename: 'ProviderDeclaration', definition: DEFINITION }],
  ['provider_withdrawn', {}, null],
];

describe('what holds by a change of the providers', () => {
  it.each(BODIES)('of the kind %s, as %j, is shown by its own type', (kind, body, shown) => {
    const { shownBy } = PROVIDER_CHANGE.fields.body;
    expect(shownBy && openedKept(shownBy, shownBody({ kind, body }) as Sealable)).toEqual(shown);
  });

  it('has a type for every kind of change', () => {
    expect(new Set(BODIES.map(([kind]) => kind))).toEqual(new Set(PROVIDER_CHANGES.codes));
  });
});
