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
import {
  CATEGORIES,
  OPERATIONS,
  OPERATORS,
  STEP_TYPES,
} from '../../../src/delivery/blueprints/vocabulary.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';
import { projectRoot } from '../../../src/platform/database/project-root.js';

/** Runs and deployments that stand name these hashes: a manifest changes with its version. */
const HASHES = {
  'crm-lead-qualification': '5bb845533d174cbced431d0590c1403b12ffc68c2378426bce291ee5e5678c78',
  'crm-call-summary': 'a8eab940dfd665c93f19f84ada97a50efc159e171f8d022c5b621c9dd1c57aed',
  'rag-knowledge-assistant': 'd5229f8f6dbca302c69f69d7c59fa4d7c82e3d0397f8deb91550f92b2cc59993',
  'tender-document-analysis': 'a82698e04056017d336443019d5f0009d7d37556d6ba709caf923002bf253294',
  'contract-review': '379c3aceaf3255504fa2a22362c283ad9034d135e28690b80e96128e73c2901b',
  'invoice-extraction': '14edba9f65a0e11955a296ca255259c95f3cf14b3008713732fb0a54932e7351',
  'call-quality-control': 'aebe7836bbd46ec390790804059668d2ff66ebeabe49fc5634a6ed2f175416db',
  'support-ticket-reply': '369f1f42ea662d8d194db843bb19fee658b23fbbdcae8ba8d784e6b5fe1af2dd',
  'support-ticket-triage': 'c647bc94abebb5c38b64238e886264d8d36e977fb9e8a97e1903aab6b2a2ff1d',
  'hr-resume-screening': 'c9afc5c27e2f63eaeb1dcb8c66004820d7364d8a598cc768fc388d6268a9d1e9',
  'ecommerce-product-description':
    '5de4827d73d45240c8cf35aab6a7242d29cd863df8ccf4079704d90ed2d05bf6',
  'finance-payment-purpose': '1aadac85afccdd826d72debd7467376a80df3e3b29711b18c5c6385fd370d422',
  'procurement-offer-comparison':
    'f0b243f96192cf7a40c2a840ea09f684c6307480a4270040f76bc1d145db18b3',
  'marketing-campaign-copy': '99135b76a1da878ef369dbf3f5029ecc286aa44c0182917b4d1b64a9860ad4b9',
  'employee-assistant': '717201384286d403e1b3a8e6656d7cd4b983474633340eadce3a3647a94e9cdb',
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
