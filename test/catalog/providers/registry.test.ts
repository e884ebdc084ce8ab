import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { CATALOGUE, SANDBOX_PROVIDER } from '../../../src/catalog/providers/catalogue.js';
import { parseProviders } from '../../../src/catalog/providers/providers-file.js';
import {
  buildRegistry,
  loadRegistry,
  type RegistryConfig,
} from '../../../src/catalog/providers/registry.js';
import { ConfigError } from '../../../src/platform/config.js';

const CONFIG: RegistryConfig = {
  GW_SANDBOX: true,
  GW_PROVIDERS_FILE: undefined,
  GW_FIRST_BYTE_TIMEOUT_MS: 30_000,
  GW_CHUNK_GAP_TIMEOUT_MS: 20_000,
};
const YANDEX = { YANDEX_API_KEY: 'yandex-canary-key', YANDEX_FOLDER_ID: 'b1gfolder' };

const FILE = `
providers:
  - id: house
    name: House vLLM
    operator: Customer
    base_url: http://10.0.0.5:8000/v1/
    api_key_env: HOUSE_KEY
    jurisdiction: rf
    models:
      - upstream_name: Qwen/Qwen3-32B
        capabilities: [text, tools, streaming, reasoning]
        context_window: 40960
        max_output_tokens: 8192
        prices:
          - { effective_from: 2026-01-01, input: 30, output: "60.5" }
          - { effective_from: 2026-06-01, input: 20, input_cached: 5, output: 40 }
        fallbacks: [house/other:latest]
        timeouts: { first_byte_ms: 500 }
      - id: house/other:latest
        upstream_name: other
        jurisdiction: outside
        operator: Elsewhere
        capabilities: [text]
        context_window: 4096
        prices: [{ effective_from: 2026-01-01, input: 1, output: 1 }]
`;

/** Providers by their names and jurisdictions that all serve one model. */
function entriesOf(providers: Readonly<Record<string, string>>) {
  const listed = Object.entries(providers).map(([id, jurisdiction]) => ({
    ...{ id, name: id, operator: id, jurisdiction, base_url: 'http://10.0.0.5:8000/v1' },
    models: [
      {
        ...{ id: 'm', upstream_name: 'm', capabilities: ['text'], context_window: 4_096 },
        prices: [{ effective_from: '2026-01-01', input: 1, output: 1 }],
      },
    ],
  }));
  return parseProviders(JSON.stringify({ providers: listed }), 'file');
}

describe('the registry on an empty environment', () => {
  const registry = loadRegistry(CONFIG, {});

  it('can call the sandbox alone, and says of every other provider what is missing', () => {
    expect([...registry.models.keys()]).toEqual([
      'sandbox/gw-mini',
      'sandbox/gw-pro',
      'sandbox/gw-embed',
    ]);
    expect(
      registry.providers.map(({ id, status, statusReason }) => [id, status, statusReason]),
    ).toEqual([
      ['sber', 'adapter_ready', 'Set GIGACHAT_CREDENTIALS.'],
      ['yandex', 'adapter_ready', 'Set YANDEX_API_KEY, YANDEX_FOLDER_ID.'],
      ['cloudru', 'adapter_ready', 'Set CLOUDRU_API_KEY.'],
      ['deepseek', 'adapter_ready', 'Declare its models and prices in GW_PROVIDERS_FILE.'],
      ['vllm', 'adapter_ready', 'Declare its models and prices in GW_PROVIDERS_FILE.'],
      ['sandbox', 'configured', ''],
    ]);
  });

  it('marks the sandbox as simulated, inside Russia, and not free', () => {
    for (const model of registry.models.values()) {
      expect(model).toMatchObject({ simulated: true, jurisdiction: 'rf' });
      const price = registry.priceAt(model.id, '2026-11-20');
      expect(price?.microRubPerMillion.input_uncached).toBeGreaterThan(0n);
    }
  });

  it('has nothing to call when the sandbox is off', () => {
    const empty = loadRegistry({ ...CONFIG, GW_SANDBOX: false }, {});
    expect([...empty.models.keys()]).toEqual([]);
    expect(empty.deployments('sandbox/gw-mini')).toEqual([]);
  });

  it('suggests names for a misspelt model, aliases included', () => {
    expect(registry.near('gw-pro')[0]).toBe('sandbox/gw-pro');
    expect(registry.near('gw:auot')[0]).toBe('gw:auto');
  });
});

describe('the catalogue', () => {
  it('has a primary or secondary source, dated, for each price', () => {
    const prices = CATALOGUE.flatMap(({ models }) => models.flatMap((model) => model.prices));
    expect(prices.length).toBeGreaterThan(20);
    for (const price of prices) {
      expect(['primary', 'secondary']).toContain(price.sourceKind);
      expect(price.effectiveFrom).toMatch(/^\d{4}-\d{2}-\d{2}$/);
    }
  });

  it('lets the route carry the jurisdiction: one vendor serves inside and outside', () => {
    const registry = loadRegistry(CONFIG, { CLOUDRU_API_KEY: 'k' });
    const routes = [...registry.deploymentsByKey.values()].filter(
      ({ providerId }) => providerId === 'cloudru',
    );
    expect(
      routes.filter(({ jurisdiction }) => jurisdiction === 'outside').map(({ id }) => id),
    ).toEqual(['cloudru/external/deepseek-v4-flash', 'cloudru/external/glm-5.2']);
    expect(new Set(routes.map(({ origin }) => origin)).size).toBe(1);
  });

  it('has Sber configured by its credentials, for texts and not for tools', () => {
    const registry = loadRegistry(CONFIG, { GIGACHAT_CREDENTIALS: 'aWQ6c2VjcmV0' });
    expect(registry.providersById.get('sber')?.status).toBe('configured');
    const models = ['gigachat-2-lite', 'gigachat-2-pro', 'gigachat-2-max', 'gigachat-embeddings'];
    for (const name of models) {
      const [deployment] = registry.deployments(`sber/${name}`);
      expect(deployment?.capabilities).not.toContain('tools');
      expect(deployment?.connection?.login).toMatchObject({
        tokenUrl: 'https://ngw.devices.sberbank.ru:9443/api/v2/oauth',
        scope: 'GIGACHAT_API_PERS',
        statesGrantType: false,
        requestIdHeader: 'RqUID',
      });
    }
  });
});

describe('a configured provider', () => {
  const registry = loadRegistry(CONFIG, YANDEX);

  it('fills the names of models from the environment', () => {
    const [deployment] = registry.deployments('yandex/yandexgpt-lite');
    expect(deployment).toMatchObject({
      key: 'yandex:yandex/yandexgpt-lite',
      upstreamName: 'gpt://b1gfolder/yandexgpt-lite/latest',
      origin: 'https://llm.api.cloud.yandex.net',
      basePath: '/v1',
      deadlines: { firstByteMs: 30_000, gapMs: 20_000 },
    });
  });

  it('gives reasoning models four times the patience', () => {
    const [deployment] = registry.deployments('yandex/gpt-oss-120b');
    expect(deployment?.deadlines).toEqual({ firstByteMs: 120_000, gapMs: 20_000 });
  });

  it('lists the deployments of a model before those of its fallbacks', () => {
    const both = loadRegistry(CONFIG, { ...YANDEX, CLOUDRU_API_KEY: 'k' });
    expect(both.chain('yandex/gpt-oss-120b').map(({ key }) => key)).toEqual([
      'yandex:yandex/gpt-oss-120b',
      'cloudru:cloudru/gpt-oss-120b',
    ]);
    expect(registry.chain('yandex/gpt-oss-120b').map(({ key }) => key)).toEqual([
      'yandex:yandex/gpt-oss-120b',
    ]);
  });

  it('has the deployments of a model in the order of their calls, Russia first after one', () => {
    const entries = entriesOf({ one: 'outside', two: 'outside', three: 'rf', four: 'rf' });
    const built = buildRegistry(entries, CONFIG, {});
    const order = ['one:m', 'three:m', 'four:m', 'two:m'];
    expect(built.deployments('m').map(({ key }) => key)).toEqual(order);
    expect(built.models.get('m')?.deployments.map(({ key }) => key)).toEqual(order);
    expect(built.chain('m').map(({ key }) => key)).toEqual(order);
  });

  it('shows its key nowhere but to the line that sends it', () => {
    const [deployment] = registry.deployments('yandex/yandexgpt-lite');
    const shown = JSON.stringify(deployment, (_, value) =>
      typeof value === 'bigint' ? String(value) : value,
    );
    expect(shown + inspect(deployment, { depth: 9, showHidden: true })).not.toContain('canary');
    expect(`${deployment?.apiKey}`).toBe('[secret]');
    expect(deployment?.apiKey?.reveal()).toBe('yandex-canary-key');
  });

  it('is frozen', () => {
    const [deployment] = registry.deployments('yandex/yandexgpt-lite');
    expect(Object.isFrozen(registry) && Object.isFrozen(deployment)).toBe(true);
  });
});

describe('the providers file', () => {
  const registry = buildRegistry([...parseProviders(FILE, 'file'), SANDBOX_PROVIDER], CONFIG, {
    HOUSE_KEY: 'secret',
  });

  it('adds models under the id `provider/upstream name`, ids with `/` and `:` included', () => {
    expect([...registry.models.keys()].slice(0, 2)).toEqual([
      'house/Qwen/Qwen3-32B',
      'house/other:latest',
    ]);
    expect(registry.deployments('house/Qwen/Qwen3-32B')[0]).toMatchObject({
      upstreamName: 'Qwen/Qwen3-32B',
      origin: 'http://10.0.0.5:8000',
      basePath: '/v1',
      deadlines: { firstByteMs: 500, gapMs: 20_000 },
    });
    expect(registry.models.get('house/other:latest')).toMatchObject({
      jurisdiction: 'outside',
      operator: 'Elsewhere',
    });
  });

  it('keeps every dated price and fills what is not stated', () => {
    expect(registry.priceAt('house/Qwen/Qwen3-32B', '2026-05-31')).toEqual({
      effectiveFrom: '2026-01-01',
      microRubPerMillion: {
        input_uncached: 30_000_000n,
        input_cached: 30_000_000n,
        cache_write: 30_000_000n,
        output_text: 60_500_000n,
        output_reasoning: 60_500_000n,
      },
      sourceKind: 'operator',
      vatBasis: 'included',
    });
    expect(
      registry.priceAt('house/Qwen/Qwen3-32B', '2026-06-01')?.microRubPerMillion.input_cached,
    ).toBe(5_000_000n);
  });

  it('bounds images and sound, and keeps metadata to the gateway unless it says otherwise', () => {
    const [, other] = parseProviders(FILE, 'file')[0]?.models ?? [];
    const [entry] = parseProviders(FILE, 'file');
    if (!entry || !other) throw new TypeError('the file declares two models');
    const stated = { imageTokensMax: 500, imageTokensLowMax: 900, audioTokensPerSecondMax: 10 };
    const models = [
      { ...other, ...stated, forwardMetadata: false },
      { ...other, id: 'house/plain' },
    ];
    const built = buildRegistry([{ ...entry, forwardMetadata: true, models }], CONFIG, {
      HOUSE_KEY: 'secret',
    });
    expect(built.deployments(other.id)[0]).toMatchObject({
      imageTokensMax: 500,
      imageTokensLowMax: 500,
      audioTokensPerSecondMax: 10,
      forwardMetadata: false,
    });
    expect(built.deployments('house/plain')[0]).toMatchObject({
      imageTokensMax: 16_384,
      imageTokensLowMax: 16_384,
      audioTokensPerSecondMax: 32,
      forwardMetadata: true,
    });
    expect(registry.deployments('house/other:latest')[0]?.forwardMetadata).toBe(false);
    expect(registry.deployments('sandbox/gw-mini')[0]?.forwardMetadata).toBe(true);
  });

  it('stays adapter_ready while the key is not set', () => {
    const without = buildRegistry(parseProviders(FILE, 'file'), CONFIG, {});
    expect(without.providers[0]).toMatchObject({
      status: 'adapter_ready',
      statusReason: 'Set HOUSE_KEY.',
    });
  });

  it('names every fault of a file at once', () => {
    const bad = JSON.stringify({
      providers: [
        {
          id: 'Bad Id',
          name: 'x',
          operator: 'x',
          base_url: 'ftp://user:pass@host',
          jurisdiction: 'mars',
          extra: 1,
          models: [{ upstream_name: 'm', capabilities: ['magic'], context_window: 0, prices: [] }],
        },
      ],
    });
    const faults = messageOf(() => parseProviders(bad, 'bad.json'));
    for (const place of ['id', 'base_url', 'jurisdiction', 'extra', 'capabilities', 'prices']) {
      expect(faults).toContain(place);
    }
  });

  it('refuses prices that miss the output or go back in time, and fallbacks to nowhere', () => {
    const text = FILE.replace(', output: "60.5"', '')
      .replace('2026-06-01', '2025-06-01')
      .replace('[house/other:latest]', '[nobody/x]');
    const entries = parseProviders(text, 'file');
    const where = 'house, model house/Qwen/Qwen3-32B:';
    expect(messageOf(() => buildRegistry(entries, CONFIG, {}))).toBe(
      [
        'The provider catalogue has faults:',
        `${where} the price of 2026-01-01 lacks output_text, output_reasoning`,
        `${where} prices must be in order of effective_from`,
        `${where} the fallback nobody/x is no model of the list`,
      ].join('\n  '),
    );
  });
});

function messageOf(action: () => unknown): string {
  try {
    action();
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error('nothing was refused');
}

describe('GW_PROVIDERS_FILE', () => {
  it('replaces a built-in provider of the same id, whatever fell back to its models', () => {
    const folder = mkdtempSync(join(tmpdir(), 'gw-providers-'));
    const file = join(folder, 'providers.yaml');
    writeFileSync(file, FILE.replaceAll('house', 'yandex'));
    const registry = loadRegistry(
      { ...CONFIG, GW_PROVIDERS_FILE: file },
      { HOUSE_KEY: 'k', CLOUDRU_API_KEY: 'k' },
    );
    rmSync(folder, { recursive: true });
    expect(registry.providers.filter(({ id }) => id === 'yandex')).toMatchObject([
      { name: 'House vLLM', status: 'configured' },
    ]);
    expect(registry.models.has('yandex/alice-ai-llm')).toBe(false);
    expect(registry.chain('cloudru/gpt-oss-120b')).toHaveLength(1);
  });

  it('that cannot be read is a fault of the configuration', () => {
    const config = { ...CONFIG, GW_PROVIDERS_FILE: '/nowhere/providers.yaml' };
    expect(messageOf(() => loadRegistry(config, {}))).toContain('GW_PROVIDERS_FILE');
  });
});
