import { describe, expect, it } from 'vitest';
import { parseProviders } from '../../../src/catalog/providers/providers-file.js';
import { buildRegistry } from '../../../src/catalog/providers/registry.js';

const CONFIG = {
  GW_SANDBOX: false,
  GW_PROVIDERS_FILE: undefined,
  GW_FIRST_BYTE_TIMEOUT_MS: 30_000,
  GW_CHUNK_GAP_TIMEOUT_MS: 20_000,
};

const provider = (id: string, jurisdiction: string, models: string) => `
  - id: ${id}
    name: ${id}
    operator: Customer
    base_url: http://10.0.0.5:8000/v1/
    jurisdiction: ${jurisdiction}
    models: [${models}]`;
const model = (name: string, id: string, more = '') =>
  `{ upstream_name: ${name}, id: ${id}, capabilities: [text], context_window: 4096, ` +
  `max_output_tokens: 1024, prices: [{ effective_from: 2026-01-01, input: 1, output: 2 }]${more} }`;

const FALLBACKS = ', fallbacks: [abroad/echo, lab/echo]';
const MAIN = model('main', 'both/main');
const ABROAD = [model('echo', 'abroad/echo'), model('main', 'both/main', FALLBACKS)];
const FILE = `providers:${[
  provider('abroad', 'outside', ABROAD.join(', ')),
  provider('distant', 'outside', MAIN),
  provider('lab', 'rf', [model('echo', 'lab/echo'), MAIN].join(', ')),
].join('')}
`;
const REGISTRY = buildRegistry(parseProviders(FILE, 'file'), CONFIG, {});

describe('a model that is served in Russia', () => {
  it('is suggested before one that is equally near and served elsewhere', () => {
    expect(REGISTRY.near('lab/ecko')).toEqual(['lab/echo', 'abroad/echo']);
    expect(REGISTRY.near('ecko')).toEqual(['lab/echo', 'abroad/echo']);
  });

  it('falls back to Russia first, after the deployment that the operator prefers', () => {
    expect(REGISTRY.chain('both/main').map(({ key }) => key)).toEqual([
      'abroad:both/main',
      'lab:both/main',
      'distant:both/main',
      'lab:lab/echo',
      'abroad:abroad/echo',
    ]);
  });
});
