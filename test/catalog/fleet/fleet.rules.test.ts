import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applied, hasSubject } from '../../../src/catalog/fleet/apply.rules.js';
import { type ChangeDraft, placeOf } from '../../../src/catalog/fleet/change.js';
import { declarationFaults } from '../../../src/catalog/fleet/declared.rules.js';
import { shareOf } from '../../../src/catalog/fleet/share.rules.js';
import { parseProviders } from '../../../src/catalog/providers/providers-file.js';
import { buildRegistry } from '../../../src/catalog/providers/registry.js';

const CONFIG = {
  GW_SANDBOX: false,
  GW_PROVIDERS_FILE: undefined,
  GW_FIRST_BYTE_TIMEOUT_MS: 1_000,
  GW_CHUNK_GAP_TIMEOUT_MS: 1_000,
};

const model = (more = {}) => ({
  id: 'pool/chat',
  upstream_name: 'chat',
  capabilities: ['text'],
  context_window: 4_096,
  prices: [{ effective_from: '2026-01-01', input: 1, output: 2 }],
  ...more,
});

const provider = (id: string, more = {}) => ({
  id,
  name: id,
  operator: 'Somebody',
  base_url: 'https://api.example.com/v1',
  jurisdiction: 'rf',
  models: [model()],
  ...more,
});

const ENTRIES = parseProviders(
  JSON.stringify({ providers: [provider('a', { api_key_env: 'HOUSE_KEY' }), provider('b')] }),
  'a file',
);

const built = (changes: readonly ChangeDraft[]) =>
  buildRegistry(applied(ENTRIES, changes), CONFIG, { HOUSE_KEY: 'x' });

const draft = (kind: ChangeDraft['kind'], subject: string, body: unknown): ChangeDraft => ({
  kind,
  subject,
  body,
  reason: 'It must be so',
});

describe('changes on top of the file', () => {
  it('hold for their deployment alone, for its provider, or for its model', () => {
    const registry = built([
      draft('weight_set', 'a:pool/chat', { weight: 7 }),
      draft('limits_set', 'b:pool/chat', { requests_per_minute: 5 }),
      draft('selection_set', 'pool/chat', { selection: 'weighted' }),
      draft('provider_health_set', 'b', { override: 'forced_down' }),
    ]);
    const seen = registry.deployments('pool/chat').map((one) => {
      const { key, weight, limits, selection, health } = one;
      return { key, weight, limits, selection, health };
    });
    expect(seen).toEqual([
      {
        key: 'a:pool/chat',
        weight: 7,
        limits: undefined,
        selection: 'weighted',
        health: { override: 'auto', reason: '' },
      },
      {
        key: 'b:pool/chat',
        weight: 1,
        limits: { requestsPerMinute: 5 },
        selection: 'weighted',
        health: { override: 'forced_down', reason: 'It must be so' },
      },
    ]);
  });

  it('take a deployment down where it or its provider is, whatever the other says', () => {
    const both = (provider: string, deployment: string) =>
      built([
        draft('provider_health_set', 'a', { override: provider }),
        draft('deployment_health_set', 'a:pool/chat', { override: deployment }),
      ]).deploymentsByKey.get('a:pool/chat')?.health.override;
    expect(both('forced_down', 'forced_up')).toBe('forced_down');
    expect(both('forced_up', 'forced_down')).toBe('forced_down');
    expect(both('forced_up', 'auto')).toBe('forced_up');
    expect(both('auto', 'auto')).toBe('auto');
  });

  it('add a price behind the rows of its day, which stay', () => {
    const registry = built([
      draft('price_added', 'a:pool/chat', {
        effective_from: '2026-12-01',
        input: '9',
        output: '9',
      }),
      draft('price_added', 'a:pool/chat', {
        effective_from: '2026-01-01',
        input: '3',
        output: '4',
      }),
    ]);
    const [first, second] = registry.deployments('pool/chat');
    const rows = first?.prices.map((row) => [
      row.effectiveFrom,
      row.microRubPerMillion.input_uncached,
    ]);
    expect(rows).toEqual([
      ['2026-01-01', 1_000_000n],
      ['2026-01-01', 3_000_000n],
      ['2026-12-01', 9_000_000n],
    ]);
    expect(registry.priceAt('pool/chat', '2026-06-01')?.microRubPerMillion.output_text).toBe(
      4_000_000n,
    );
    expect(second?.prices).toHaveLength(1);
  });

  it('outlive another declaration of their provider, in whatever order they were made', () => {
    const declared = draft('provider_declared', 'b', provider('b', { name: 'Another' }));
    const weight = draft('weight_set', 'b:pool/chat', { weight: 3 });
    for (const changes of [
      [declared, weight],
      [weight, declared],
    ]) {
      const [, second] = built(changes).deployments('pool/chat');
      expect([second?.providerName, second?.weight]).toEqual(['Another', 3]);
    }
  });

  it('prefer a provider that is new last, and judge its addresses', () => {
    const registry = built([draft('provider_declared', 'c', provider('c'))]);
    expect(registry.deployments('pool/chat').map((one) => [one.key, one.addressJudged])).toEqual([
      ['a:pool/chat', false],
      ['b:pool/chat', false],
      ['c:pool/chat', true],
    ]);
  });

  it('need what they are about', () => {
    const there = ['a:pool/chat', 'pool/chat', 'a'];
    const kinds = ['weight_set', 'selection_set', 'provider_health_set'] as const;
    const found = kinds.map((kind) =>
      there.map((subject) => hasSubject(ENTRIES, draft(kind, subject, {}))),
    );
    expect(found).toEqual([
      [true, false, false],
      [false, true, false],
      [false, false, true],
    ]);
  });

  it('take the place of an earlier one about the same, and of no other', () => {
    const places = [
      draft('price_added', 'a:m', { effective_from: '2026-12-01' }),
      draft('price_added', 'a:m', { effective_from: '2026-12-02' }),
      draft('weight_set', 'a:m', {}),
      draft('limits_set', 'a:m', {}),
      draft('provider_declared', 'a', {}),
    ].map(placeOf);
    expect(new Set(places).size).toBe(places.length);
    expect(placeOf(draft('provider_withdrawn', 'a', {}))).toBe(
      placeOf(draft('provider_declared', 'a', {})),
    );
  });
});

describe('a provider that is declared at runtime', () => {
  const world = {
    entries: ENTRIES,
    hostsAllowed: new Set(['10.0.0.5', 'house.internal']),
    today: '2026-11-22',
  };
  const pathsOf = (definition: unknown) =>
    declarationFaults(definition, world).map(({ path, message }) => `${path}: ${message}`);

  it('has no fault where its address is public and its key is its own', () => {
    expect(pathsOf(provider('c', { api_key_env: 'PROVIDER_C_KEY' }))).toEqual([]);
    expect(pathsOf(provider('c', { base_url: 'http://10.0.0.5:8000/v1' }))).toEqual([]);
    expect(pathsOf(provider('c', { base_url: 'http://house.internal/v1' }))).toEqual([]);
  });

  it.each([
    'http://api.example.com/v1',
    'https://127.0.0.1/v1',
    'https://169.254.169.254/latest',
    'https://localhost:8443/v1',
    'https://[::1]/v1',
    'https://0x7f000001/v1',
    'https://metadata.internal/v1',
    'https://user:secret@api.example.com/v1',
    'file:///etc/passwd',
  ])('is refused at %s', (base_url) => {
    const faults = pathsOf(provider('c', { base_url }));
    expect(faults.length).toBeGreaterThan(0);
    for (const line of faults) expect(line).toContain('definition.base_url');
  });

  it.each(['GW_SECRET', 'DATABASE_URL', 'HOUSE_KEY', 'AWS_SECRET_ACCESS_KEY', 'YANDEX_API_KEY'])(
    'never reads the variable %s',
    (api_key_env) => {
      expect(pathsOf(provider('c', { api_key_env }))).toEqual([
        'definition.api_key_env: definition.api_key_env must be the name of a variable that ' +
          'begins with PROVIDER_.',
      ]);
    },
  );

  it('keeps the key of the one it replaces at the same address, and takes it nowhere else', () => {
    expect(pathsOf(provider('a', { api_key_env: 'HOUSE_KEY' }))).toEqual([]);
    const elsewhere = { api_key_env: 'HOUSE_KEY', base_url: 'https://evil.example.com/v1' };
    expect(pathsOf(provider('a', elsewhere))).toHaveLength(1);
  });

  it('reads no variable by the name of a model', () => {
    const faults = pathsOf(provider('c', { models: [model({ upstream_name: '{GW_SECRET}' })] }));
    expect(faults).toEqual([
      'definition.models.0.upstream_name: definition.models.0.upstream_name must hold no { and }.',
    ]);
  });

  it('changes no price of a model that is there, and may add to them', () => {
    const other = [{ effective_from: '2026-01-01', input: 5, output: 2 }];
    expect(pathsOf(provider('a', { models: [model({ prices: other })] }))).toEqual([
      'definition.models.0.prices: definition.models.0.prices must keep the prices of 2026-01-01 ' +
        'as they are.',
      'definition.models.0.prices: definition.models.0.prices may only add prices from ' +
        '2026-11-22 on.',
    ]);
    const more = [...model().prices, { effective_from: '2026-12-01', input: 5, output: 2 }];
    expect(pathsOf(provider('a', { models: [model({ prices: more })] }))).toEqual([]);
  });

  it('is told every fault at once', () => {
    const faults = pathsOf({ ...provider('C c'), jurisdiction: 'mars', models: [], secret: 'x' });
    expect(faults).toHaveLength(4);
    expect(pathsOf(null)).toHaveLength(1);
    expect(pathsOf({ text: 'x'.repeat(300_000) })).toEqual([
      'definition: definition has at most 200000 characters as JSON.',
    ]);
  });
});

describe('the share of a node', () => {
  it('makes the limit exactly with those of the others', () => {
    const names = fc.uniqueArray(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 12 });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000_000 }), names, (limit, nodes) => {
        const shares = nodes.map((node) => shareOf(limit, nodes, [node]));
        expect(shares.reduce((sum, share) => sum + share, 0)).toBe(limit);
        expect(Math.max(...shares) - Math.min(...shares)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('of those that count together is the sum of theirs', () => {
    const nodes = ['a', 'b', 'c', 'd'];
    expect(shareOf(10, nodes, ['a', 'c'])).toBe(5);
    expect(shareOf(10, nodes, nodes)).toBe(10);
    expect(shareOf(9, ['a'], ['a', 'b', 'c'])).toBe(9);
  });

  it('of one that is not known yet is what is left for one more', () => {
    expect([shareOf(9, [], ['a']), shareOf(9, ['a', 'b'], ['c'])]).toEqual([9, 3]);
  });
});
