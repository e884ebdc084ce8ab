import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { BLUEPRINTS, manifestHash } from '../../../src/delivery/blueprints/catalogue.js';
import { runCostMicroMax } from '../../../src/delivery/blueprints/cost-bound.js';
import { lintManifest } from '../../../src/delivery/blueprints/lint.js';
import { SANDBOX_MODELS } from '../../../src/delivery/blueprints/lint-finder.js';
import { MANIFEST_SCHEMA } from '../../../src/delivery/blueprints/manifest-schema.js';
import {
  CATEGORIES,
  OPERATIONS,
  OPERATORS,
  STEP_TYPES,
} from '../../../src/delivery/blueprints/vocabulary.js';
import { inspectRequest } from '../../../src/inference/firewall/inspect.js';
import { DEFAULT_MODES } from '../../../src/kernel/firewall/vocabulary.js';

const named = BLUEPRINTS.map((manifest) => [manifest.id, manifest] as const);
const validate = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(MANIFEST_SCHEMA);

describe('the catalogue', () => {
  it('has ten or more complete blueprints, each id once, and one of every category', () => {
    expect(BLUEPRINTS.length).toBeGreaterThanOrEqual(10);
    expect(new Set(BLUEPRINTS.map(({ id }) => id)).size).toBe(BLUEPRINTS.length);
    const categories = new Set<string>(BLUEPRINTS.map(({ category }) => category));
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
    const text = JSON.stringify(BLUEPRINTS);
    const unused = [
      ...STEP_TYPES.rows.filter(({ code }) => !text.includes(`"type":"${code}"`)),
      ...OPERATORS.rows.filter(({ code }) => !text.includes(`"operator":"${code}"`)),
      ...OPERATIONS.rows.filter(({ code }) => !text.includes(`"operation":"${code}"`)),
    ];
    expect(unused.map(({ code }) => code)).toEqual([]);
  });

  it('bounds the cost of a run, and bounds it higher with a dearer model', () => {
    for (const manifest of BLUEPRINTS) {
      const [mini, pro] = ['sandbox/gw-mini', 'sandbox/gw-pro'].map((id) => {
        const model = SANDBOX_MODELS.get(id);
        return model && runCostMicroMax(manifest, model);
      });
      expect(pro ?? 0n).toBeGreaterThan(mini ?? 0n);
    }
  });

  it('gives each manifest a hash of its own that does not depend on the order of members', () => {
    const hashes = BLUEPRINTS.map((each) => Buffer.from(manifestHash(each)).toString('hex'));
    expect(new Set(hashes).size).toBe(BLUEPRINTS.length);
    for (const manifest of BLUEPRINTS) {
      const turned = Object.fromEntries(Object.entries(manifest).reverse()) as typeof manifest;
      expect(manifestHash(turned)).toEqual(manifestHash(manifest));
    }
  });
});
