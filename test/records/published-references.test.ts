import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { REFERENCES } from '../../src/records/references.js';
import { graphql, startApp, type TestApp } from '../support/app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/** Where a number stands that no wire can write. */
function unwritable(value: unknown, path: string): string[] {
  if (typeof value === 'number') return Number.isFinite(value) ? [] : [path];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => unwritable(inner, `${path}.${name}`));
}

const VALUES = 'name text number flag texts';
const FACTS = `facts { ${VALUES} facts { ${VALUES} facts { ${VALUES} } } }`;

describe('every published list', () => {
  it('holds numbers that can be written alone', () => {
    const all = REFERENCES.all();
    expect(all.length).toBeGreaterThan(20);
    expect(all.flatMap(({ name, entries }) => unwritable(entries, name))).toEqual([]);
  });

  it('is answered in each of its fields without a key', async () => {
    const entries = `entries { code description ${FACTS} }`;
    const query = `query ($module: String) { references(module: $module) { name ${entries} } }`;
    const modules = [...new Set(REFERENCES.all().map(({ name }) => name.split('.')[0]))];
    for (const module of modules) {
      const { data, errors } = await graphql<{ references: { name: string }[] }>(app, query, {
        module,
      });
      expect([module, errors]).toEqual([module, undefined]);
      expect(data.references.map(({ name }) => name)).toEqual(
        REFERENCES.all(module).map(({ name }) => name),
      );
    }
  });
});
