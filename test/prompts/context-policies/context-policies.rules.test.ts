import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readPack } from '../../../src/prompts/context-policies/pack-json.rules.js';
import { evaluateContext, matchesPattern } from '../../../src/prompts/context-policies/rules.js';
import type {
  ContextRules,
  ContextViolation,
} from '../../../src/prompts/context-policies/tables.js';
import {
  CONTEXT_RULES,
  type ContextItem,
} from '../../../src/prompts/context-policies/vocabulary.js';

const AS_OF = new Date('2026-02-01T00:00:00Z');

const NOTHING: ContextRules = {
  allowSources: null,
  blockSources: [],
  dataClasses: null,
  tokenBudget: null,
  freshnessDays: null,
  citationRequired: false,
  provenanceRequired: false,
};

const ITEM: ContextItem = {
  id: 'refunds',
  source: 'wiki/refunds',
  dataClass: 'C1',
  tokens: 10,
  tokensCounted: false,
  updatedAt: new Date('2026-01-31T00:00:00Z'),
  citation: 'wiki/refunds#terms',
  provenance: 'nightly export',
};

const TABLE: readonly {
  readonly rules: Partial<ContextRules>;
  readonly item: Partial<ContextItem>;
  readonly violates: string | undefined;
}[] = [
  { rules: {}, item: { source: null, dataClass: null, updatedAt: null }, violates: undefined },
  { rules: { allowSources: ['wiki/*'] }, item: {}, violates: undefined },
  { rules: { allowSources: ['crm/*'] }, item: {}, violates: 'source_not_allowed' },
  { rules: { allowSources: [] }, item: {}, violates: 'source_not_allowed' },
  { rules: { allowSources: ['*'] }, item: { source: null }, violates: 'source_missing' },
  { rules: { blockSources: ['x'] }, item: { source: ' ' }, violates: 'source_missing' },
  { rules: { blockSources: ['WIKI/*'] }, item: {}, violates: 'source_blocked' },
  {
    rules: { allowSources: ['wiki/refunds'], blockSources: ['wiki/*'] },
    item: {},
    violates: 'source_blocked',
  },
  { rules: { dataClasses: ['C0', 'C1'] }, item: {}, violates: undefined },
  { rules: { dataClasses: ['C0'] }, item: {}, violates: 'data_class_not_allowed' },
  { rules: { dataClasses: ['C0'] }, item: { dataClass: null }, violates: 'data_class_missing' },
  { rules: {}, item: { judged: { dataClass: 'C1', findings: ['ogrn'] } }, violates: undefined },
  {
    rules: {},
    item: { judged: { dataClass: 'C3', findings: ['phone'] } },
    violates: 'data_class_understated',
  },
  {
    rules: {},
    item: { dataClass: null, judged: { dataClass: 'C3', findings: ['phone'] } },
    violates: undefined,
  },
  { rules: { tokenBudget: 10 }, item: {}, violates: undefined },
  { rules: { tokenBudget: 9 }, item: {}, violates: 'token_budget_exceeded' },
  { rules: { tokenBudget: 10 }, item: { tokens: null }, violates: 'tokens_missing' },
  { rules: { freshnessDays: 1 }, item: {}, violates: undefined },
  {
    rules: { freshnessDays: 1 },
    item: { updatedAt: new Date('2026-01-30T23:59:59Z') },
    violates: 'too_old',
  },
  { rules: { freshnessDays: 1 }, item: { updatedAt: null }, violates: 'date_missing' },
  {
    rules: { freshnessDays: 1 },
    item: { updatedAt: new Date('2026-02-01T00:00:01Z') },
    violates: 'date_in_future',
  },
  { rules: { citationRequired: true }, item: { citation: ' ' }, violates: 'citation_missing' },
  {
    rules: { provenanceRequired: true },
    item: { provenance: null },
    violates: 'provenance_missing',
  },
];

const word = fc.constantFrom('wiki', 'wiki/a', 'crm/b', 'drafts');
const itemOf = fc.record({
  source: fc.option(word),
  dataClass: fc.option(fc.constantFrom('C0' as const, 'C2' as const, 'C4' as const)),
  tokens: fc.option(fc.nat(500)),
  tokensCounted: fc.boolean(),
  updatedAt: fc.option(
    fc.date({ min: new Date('2025-12-01'), max: new Date('2026-03-01'), noInvalidDate: true }),
  ),
  citation: fc.option(fc.constantFrom('', 'here')),
  provenance: fc.option(fc.constantFrom('', 'export')),
});
const pack = fc
  .array(itemOf, { maxLength: 6 })
  .map((items): ContextItem[] => items.map((item, index) => ({ id: `i${index}`, ...item })));
const rules: fc.Arbitrary<ContextRules> = fc.record({
  allowSources: fc.option(fc.array(fc.constantFrom('wiki*', 'crm/*', '*'), { maxLength: 2 })),
  blockSources: fc.array(fc.constantFrom('drafts', 'wiki/a'), { maxLength: 2 }),
  dataClasses: fc.option(fc.subarray(['C0', 'C2', 'C4'] as const)),
  tokenBudget: fc.option(fc.integer({ min: 1, max: 1_000 })),
  freshnessDays: fc.option(fc.integer({ min: 1, max: 60 })),
  citationRequired: fc.boolean(),
  provenanceRequired: fc.boolean(),
});

function named(violations: readonly ContextViolation[]): string[] {
  return violations.map(({ itemId, rule }) => `${itemId} ${rule}`).sort();
}

describe('each rule of a context policy', () => {
  it.each(TABLE)('$rules with $item violates $violates', (row) => {
    const found = evaluateContext({ ...NOTHING, ...row.rules }, [{ ...ITEM, ...row.item }], AS_OF);
    expect(found.violations.map(({ rule }) => rule)).toEqual(row.violates ? [row.violates] : []);
    expect(found.decision).toBe(row.violates ? 'block' : 'allow');
  });

  it('has a row in the table', () => {
    const tried = new Set(TABLE.flatMap(({ violates }) => violates ?? []));
    expect([...tried].sort()).toEqual(CONTEXT_RULES.codes.toSorted());
  });

  it('is named with the item, its place, the message and the fix', () => {
    const found = evaluateContext({ ...NOTHING, dataClasses: ['C0'] }, [ITEM], AS_OF);
    expect(found).toEqual({
      decision: 'block',
      violations: [
        {
          itemId: 'refunds',
          position: 0,
          rule: 'data_class_not_allowed',
          message: 'The class C1 is not allowed; allowed: C0.',
          fix: 'Leave the item out, or remove from it what makes it sensitive.',
        },
      ],
      items: 1,
      violatingItems: 1,
      tokens: { total: 10, unknownItems: 0, source: 'declared' },
    });
  });
});

describe('an evaluation', () => {
  it('allows an empty pack under any policy', () => {
    fc.assert(
      fc.property(rules, (given) => {
        expect(evaluateContext(given, [], AS_OF).decision).toBe('allow');
      }),
    );
  });

  it('does not depend on the order of items', () => {
    fc.assert(
      fc.property(rules, pack, (given, items) => {
        const forward = evaluateContext(given, items, AS_OF);
        const backward = evaluateContext(given, [...items].reverse(), AS_OF);
        expect(named(backward.violations)).toEqual(named(forward.violations));
        expect(backward.tokens).toEqual(forward.tokens);
      }),
    );
  });

  it('never loses a violation when an item is added', () => {
    fc.assert(
      fc.property(rules, pack, itemOf, (given, items, added) => {
        const before = named(evaluateContext(given, items, AS_OF).violations);
        const more = evaluateContext(given, [...items, { id: 'added', ...added }], AS_OF);
        expect(named(more.violations)).toEqual(expect.arrayContaining(before));
      }),
    );
  });

  it('says that a blocked source is blocked, and not also that it is not allowed', () => {
    fc.assert(
      fc.property(rules, pack, (given, items) => {
        for (const { itemId, rule } of evaluateContext(given, items, AS_OF).violations) {
          if (rule !== 'source_not_allowed') continue;
          const source = items.find(({ id }) => id === itemId)?.source ?? '';
          expect(given.blockSources.some((each) => matchesPattern(each, source))).toBe(false);
        }
      }),
    );
  });

  it('names the largest items where the budget is exceeded', () => {
    const items = [3, 9, 5, 7].map((tokens) => ({ ...ITEM, id: `t${tokens}`, tokens }));
    const found = evaluateContext({ ...NOTHING, tokenBudget: 20 }, items, AS_OF);
    expect(found.violations).toEqual([
      {
        itemId: null,
        position: null,
        rule: 'token_budget_exceeded',
        message: 'The items have 24 tokens, 4 more than 20; the largest: t9 (9), t7 (7), t5 (5).',
        fix: 'Shorten or leave out items, the largest first.',
      },
    ]);
  });
});

describe('a pattern', () => {
  it('matches as a regular expression with the star for anything would', () => {
    const letters = fc.string({ unit: fc.constantFrom('a', 'b', '*'), maxLength: 8 });
    fc.assert(
      fc.property(letters, letters, (pattern, text) => {
        const source = pattern.replaceAll('*', '[^]*');
        expect(matchesPattern(pattern, text)).toBe(new RegExp(`^${source}$`).test(text));
      }),
    );
  });
});

describe('a pack in JSON', () => {
  it('is read by the names of REST', () => {
    const item = {
      id: 'a',
      source: 's',
      data_class: 'C2',
      tokens: 5,
      text: 'hello',
      updated_at: '2026-01-31T00:00:00Z',
      citation: 'c',
      provenance: 'p',
    };
    expect(readPack('context_pack', { items: [item], as_of: '2026-02-01' })).toEqual({
      items: [
        {
          id: 'a',
          source: 's',
          dataClass: 'C2',
          tokens: 5,
          text: 'hello',
          updatedAt: new Date('2026-01-31T00:00:00Z'),
          citation: 'c',
          provenance: 'p',
        },
      ],
      asOf: AS_OF,
      faults: [],
    });
  });

  it('names every fault', () => {
    const item = { id: 1, data_class: 'C9', tokens: 'x', updated_at: 'soon' };
    const { faults } = readPack('context_pack', { items: [item, 3], as_of: 5 });
    expect(faults.map(({ path }) => path)).toEqual([
      'context_pack.as_of',
      'context_pack.items.0.data_class',
      'context_pack.items.0.tokens',
      'context_pack.items.0.id',
      'context_pack.items.0.updated_at',
      'context_pack.items.1',
    ]);
    expect(readPack('context_pack', {}).faults.map(({ code }) => code)).toEqual(['missing']);
  });
});
