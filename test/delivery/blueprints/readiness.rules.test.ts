import { describe, expect, it } from 'vitest';
import { SANDBOX_PROVIDER } from '../../../src/catalog/providers/catalogue.js';
import { buildRegistry } from '../../../src/catalog/providers/registry.js';
import { blueprintById, builtIns } from '../../../src/delivery/blueprints/catalogue.js';
import { lintManifest } from '../../../src/delivery/blueprints/lint.js';
import type { Manifest } from '../../../src/delivery/blueprints/manifest.js';
import { readinessOf } from '../../../src/delivery/blueprints/readiness.js';
import { readConfig } from '../../../src/platform/config.js';

const config = readConfig({ NODE_ENV: 'test' });
const day = '2026-11-01';
const sandbox = buildRegistry([SANDBOX_PROVIDER], config, {});
const nothing = buildRegistry([], config, {});
const real = buildRegistry(
  [
    SANDBOX_PROVIDER,
    {
      ...SANDBOX_PROVIDER,
      id: 'real',
      protocol: 'chat_completions',
      baseUrl: 'https://models.example/v1',
      models: SANDBOX_PROVIDER.models.slice(0, 2).map((model) => ({
        ...model,
        id: model.id.replace('sandbox/', 'real/'),
        russianQuality: 'high' as const,
        fallbacks: [],
      })),
    },
  ],
  config,
  {},
);

function judge(manifest: Manifest, registry = sandbox) {
  const readiness = readinessOf({ manifest, registry, day, findings: lintManifest(manifest) });
  const open = readiness.criteria.filter(({ met }) => !met).map(({ code }) => code);
  return { score: readiness.score, open };
}

describe('readiness', () => {
  it('counts what this server can call: nothing, the sandbox alone, or real models too', () => {
    for (const manifest of builtIns()) {
      const lacking = ['model_available', 'fallback_available'];
      expect(judge(manifest, nothing)).toEqual({
        score: 70,
        open: ['sandbox_available', ...lacking],
      });
      expect(judge(manifest, sandbox)).toEqual({ score: 80, open: lacking });
      expect(judge(manifest, real)).toEqual({ score: 100, open: [] });
    }
  });

  it('falls with what the manifest itself lacks', () => {
    const manifest = blueprintById('support-ticket-reply');
    const { fallback: _none, ...models } = manifest.models;
    expect(judge({ ...manifest, models })).toEqual({
      score: 65,
      open: ['manifest_clean', 'fallback_declared', 'model_available', 'fallback_available'],
    });
    const policies = { ...manifest.policies, firewall: { phone: 'detect' as const } };
    expect(judge({ ...manifest, policies })).toEqual({
      score: 50,
      open: ['manifest_valid', 'personal_data_protected', 'model_available', 'fallback_available'],
    });
  });

  it('shows the evidence of each criterion', () => {
    const manifest = blueprintById('support-ticket-reply');
    const { criteria } = readinessOf({ manifest, registry: sandbox, day, findings: [] });
    expect(Object.fromEntries(criteria.map(({ code, evidence }) => [code, evidence]))).toEqual({
      manifest_valid: 'no error',
      manifest_clean: 'no warning',
      fallback_declared: 'sandbox/gw-mini, then sandbox/gw-pro',
      outputs_checked: '1 of 1 steps',
      result_checked: '6 of 6 cases',
      personal_data_protected: 'protected: phone, email',
      cost_bounded: 'at most 10 RUB a run',
      sandbox_available: 'sandbox/gw-mini, sandbox/gw-pro',
      model_available: 'none is configured on this server',
      fallback_available: 'none is configured on this server',
    });
  });
});
