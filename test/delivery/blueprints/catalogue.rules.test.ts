import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import {
  builtIns,
  manifestHash,
  parseManifest,
} from '../../../src/delivery/blueprints/catalogue.js';
import { runCostMicroMax } from '../../../src/delivery/blueprints/cost-bound.js';
import { lintManifest } from '../../../src/delivery/blueprints/lint.js';
import { SANDBOX_MODELS } from '../../../src/delivery/blueprints/lint-safety.js';
import { MANIFEST_SCHEMA } from '../../../src/delivery/blueprints/manifest-schema.js';
import { OPERATIONS, OPERATORS } from '../../../src/delivery/blueprints/operators.js';
import { CATEGORIES, STEP_TYPES } from '../../../src/delivery/blueprints/vocabulary.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

/** Runs and deployments that stand name these hashes: a manifest changes with its version. */
const HASHES = {
  'crm-lead-qualification': 'e5a4f3244306154a34bb8608a95bf0e3609a6a9deffc17c5a472fcc5cbf4c58b',
  'crm-call-summary': '3619d6da8032c7ffc56982bbd92ee670cb6a2c69a58a1e96a7e7ade3cefd4f61',
  'rag-knowledge-assistant': 'dd1d7e4f49befb95ebe4b34a916e40d4a5d86a2b396c1ce3abe755aec4a7f42b',
  'tender-document-analysis': 'ee190dce256d3a45c6dde7d42f097c994d28b5334fdfdab4cf8226dc1d441517',
  'contract-review': '1763e03264e4d0300f724e483f634d32348272efe902ce27dd2727c32ab965e9',
  'invoice-extraction': 'fbcf0ec0ec588c59a5afa40f03b9805c1f22ee527d519579fb52893af7d42e13',
  'call-quality-control': '56806165a64f65b6c9e59022b114af68e3328245c9f4185db11ac91449b1d542',
  'support-ticket-reply': '07eafbcd971b0c7acbb1b5b0c0bdc98c0f4f6585cdeec04092b7e898010d545f',
  'support-ticket-triage': '676e037dff14ebc64b3c874be91f5d72a32bebda7090e03affd13ebd4825d305',
  'hr-resume-screening': '4b2ea9199e1cf3e065cd5175e6432469cb2ea1b17bf16d54cfa57f11695cc613',
  'ecommerce-product-description':
    '71cac508d54f2a07650c5454d4bace27245a0ae92b92f8a94f730761e13d6d1c',
  'finance-payment-purpose': '585f3b688664c85a2fa4cd40e2880fc6f8f740a39f18c3f7681e3a0a4fda06fb',
  'procurement-offer-comparison':
    '35a97659981c12a7dd4a9ea76751ecc9b6fa161c053e9c31a49297403da72c43',
  'marketing-campaign-copy': '87ee363f39d459c20fdd169de2329d9c241bf2bb4a9ca926c39570f406df35c0',
  'employee-assistant': '149c120dceadca74ef038eb452bcdfcf075f7c2483af6198a39b46bd4039f826',
};

const named = builtIns().map((manifest) => [manifest.id, manifest] as const);
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(MANIFEST_SCHEMA);

describe('the catalogue', () => {
  it('has ten or more complete blueprints, each id once, and one of every category', () => {
    expect(builtIns().length).toBeGreaterThanOrEqual(10);
    expect(new Set(builtIns().map(({ id }) => id)).size).toBe(builtIns().length);
    const categories = new Set<string>(builtIns().map(({ category }) => category));
    expect([...categories].sort()).toEqual([...CATEGORIES.codes].sort());
  });

  it.each(named)('%s validates against the published JSON Schema', (_id, manifest) => {
    validate(JSON.parse(JSON.stringify(manifest)));
    expect(validate.errors).toBe(null);
  });

  it.each(named)('%s has no finding of the lint', (_id, manifest) => {
    expect(lintManifest(manifest)).toEqual([]);
  });

  it.each(named)('the example of %s holds the personal data it declares', (_id, manifest) => {
    const { findings } = inspectRequest({ example: manifest.example_input }, DEFAULT_MODES);
    const found = new Set(findings.map((finding) => finding.class));
    expect(manifest.personal_data.filter((each) => !found.has(each))).toEqual([]);
  });

  it('uses every published step type, operator and operation', () => {
    const text = JSON.stringify(builtIns());
    const unused = [
      ...STEP_TYPES.rows.filter(({ code }) => !text.includes(`"type":"${code}"`)),
      ...OPERATORS.rows.filter(({ code }) => !text.includes(`"operator":"${code}"`)),
      ...OPERATIONS.rows.filter(({ code }) => !text.includes(`"operation":"${code}"`)),
    ];
    expect(unused.map(({ code }) => code)).toEqual([]);
  });

  it('bounds the cost of a run, and bounds it higher with a dearer model', () => {
    for (const manifest of builtIns()) {
      const [mini, pro] = ['sandbox/gw-mini', 'sandbox/gw-pro'].map((id) => {
        const model = SANDBOX_MODELS.get(id);
        return model && runCostMicroMax(manifest, model);
      });
      expect(pro ?? 0n).toBeGreaterThan(mini ?? 0n);
    }
  });

  it('bounds it by the price in force, not by one that begins later', () => {
    const [manifest] = builtIns();
    const model = SANDBOX_MODELS.get('sandbox/gw-mini');
    const [price] = model?.prices ?? [];
    if (!manifest || !model || !price) throw new Error('the sandbox has a model with a price');
    const later = { ...price, effectiveFrom: '9999-12-31', microRubPerMillion: {} };
    const dearer = { ...model, prices: [...model.prices, later] };
    expect(runCostMicroMax(manifest, dearer)).toBe(runCostMicroMax(manifest, model));
  });

  it('has, in its order, the manifests that runs and deployments name by their hashes', () => {
    const hashes = builtIns().map((each) => [
      each.id,
      Buffer.from(manifestHash(each)).toString('hex'),
    ]);
    expect(Object.fromEntries(hashes)).toEqual(HASHES);
    expect(hashes.map(([id]) => id)).toEqual(Object.keys(HASHES));
  });

  it('lists every file of its folder', () => {
    const folder = join(projectRoot(), 'src/delivery/blueprints/manifests');
    const files = builtIns().map(({ id }) => `${id}.yaml`);
    expect(readdirSync(folder).sort()).toEqual(files.sort());
  });

  it.each([
    ['steps: [', /manifests\/acme\.yaml is no YAML: .*line 1/s],
    ['id: acme', /manifests\/acme\.yaml is not the manifest acme\n.* {2}version is missing/s],
    ['', /manifests\/acme\.yaml is not the manifest acme/],
    [JSON.stringify(builtIns()[0]), /manifests\/acme\.yaml is not the manifest acme$/],
  ])('refuses a broken file by its name and the paths of its faults: %.10s', (text, message) => {
    expect(() => parseManifest('acme', text)).toThrow(message);
  });

  it('gives each manifest a hash of its own that does not depend on the order of members', () => {
    const hashes = builtIns().map((each) => Buffer.from(manifestHash(each)).toString('hex'));
    expect(new Set(hashes).size).toBe(builtIns().length);
    for (const manifest of builtIns()) {
      const turned = Object.fromEntries(Object.entries(manifest).reverse()) as typeof manifest;
      expect(manifestHash(turned)).toEqual(manifestHash(manifest));
    }
  });
});
