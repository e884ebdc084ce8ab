import { describe, expect, it } from 'vitest';
import { staleClockPlaces, wallClockReads } from './tidy/clock-rules.js';
import {
  openTenantTables,
  rawTransactions,
  tenantTables,
  unnamedPlatformWork,
} from './tidy/database-rules.js';
import {
  codesFromAbove,
  uncataloguedCodes,
  unfilledPlaces,
  unraisedCodes,
} from './tidy/error-rules.js';
import {
  barrels,
  brokenImports,
  importCircles,
  importsPastARoom,
  staleExceptions,
  unregisteredVocabularies,
  unusedExports,
  unusedFiles,
  wrongImports,
} from './tidy/import-rules.js';
import {
  heavyRows,
  strayModules,
  unaskedPermissions,
  unlistedModules,
  unregisteredSchemas,
} from './tidy/module-rules.js';
import {
  measuredByHand,
  recordsPastTheirRoom,
  staleRecordExceptions,
} from './tidy/record-rules.js';
import {
  documentedEndpoints,
  missingRows,
  rowsOfOtherAccess,
  staleExtensions,
  undocumentedRows,
} from './tidy/rest-rules.js';
import {
  appendOnlyTables,
  changedHistory,
  contextsWithoutReadme,
  emptyNames,
  longFiles,
  longFunctions,
  longLines,
  looseTypes,
  workTraces,
} from './tidy/text-rules.js';

function expectNone(violations: readonly string[]): void {
  expect([...violations].sort().join('\n')).toBe('');
}

describe('the size of code', () => {
  it('a file has at most 350 lines', () => expectNone(longFiles()));
  it('a function has at most 70 lines', () => expectNone(longFunctions()));
  it('a line has at most 100 columns, in routes 160', () => expectNone(longLines()));
});

describe('types', () => {
  it('nothing is `any`, asserted not to be null, or hidden from the type check', () =>
    expectNone(looseTypes()));
});

describe('files and their imports', () => {
  it('imports go one way', () => expectNone(wrongImports()));
  it('a dangerous package has one room', () => expectNone(importsPastARoom()));
  it('every imported file exists', () => expectNone(brokenImports()));
  it('no files import each other in a circle', () => expectNone(importCircles()));
  it('every file is needed by another one of the product', () => expectNone(unusedFiles()));
  it('every exported name is imported by another file', () => expectNone(unusedExports()));
  it('the exceptions to that are needed', () => expectNone(staleExceptions()));
  it('a name is imported from the file that defines it', () => expectNone(barrels()));
  it('a file is named after what it holds', () => expectNone(emptyNames()));
  it('every vocabulary feeds the schema or a rule', () => expectNone(unregisteredVocabularies()));
  it('every context states its invariants in a README', () => expectNone(contextsWithoutReadme()));
  it('no file tells where or how it was written', () => expectNone(workTraces()));
});

describe('errors', () => {
  it('every code that is thrown is in the catalogue', () => expectNone(uncataloguedCodes()));
  it('every place of a message is filled', () => expectNone(unfilledPlaces()));
  it('every code of the catalogue is thrown somewhere', () => expectNone(unraisedCodes()));
  it('every code stands with those who throw it, or below', () => expectNone(codesFromAbove()));
});

describe('modules', () => {
  it('every module is listed by its context, in the order of contexts', () =>
    expectNone(unlistedModules()));
  it('the row of a module is read by its context alone', () => expectNone(strayModules()));
  it('the row of a module loads nothing but its tables', () => expectNone(heavyRows()));
  it('whatever adds to the schema belongs to a module', () => expectNone(unregisteredSchemas()));
  it('every permission is asked for somewhere', () => expectNone(unaskedPermissions()));
});

describe('records', () => {
  it('are read and written by src/records alone', () => expectNone(recordsPastTheirRoom()));
  it('give the label of measured figures, which nobody writes by hand', () =>
    expectNone(measuredByHand()));
  it('the exceptions to that are needed', () => expectNone(staleRecordExceptions()));
});

describe('REST', () => {
  it('the specification has 256 endpoints', () => {
    expect(documentedEndpoints()).toHaveLength(256);
    expect(new Set(documentedEndpoints().map(({ key }) => key)).size).toBe(256);
  });
  it('every documented endpoint has a row', () => expectNone(missingRows()));
  it('every row is documented, or a known extension', () => expectNone(undocumentedRows()));
  it('every row has the documented access', () => expectNone(rowsOfOtherAccess()));
  it('every known extension has a row', () => expectNone(staleExtensions()));
});

describe('the database', () => {
  it('every table of tenants is closed by row security', () => expectNone(openTenantTables()));
  it('a table of tenants that is not closed is found, however it is written', () => {
    const text = [
      'CREATE TABLE "quoted" (\n    "id" UUID NOT NULL,\n    "tenant_id" UUID NOT NULL\n);',
      'CREATE TABLE plain (\n  tenant_id uuid NOT NULL\n);',
      'CREATE TABLE nobodys (\n  id uuid\n);',
      'ALTER TABLE nobodys ADD COLUMN tenant_id uuid;',
      "CALL keep_to_tenant('plain', 'SELECT');",
    ].join('\n');
    expect(tenantTables([{ text }])).toEqual(['quoted', 'plain', 'nobodys']);
    expect(openTenantTables([{ text }])).toHaveLength(2);
  });
  it('transactions begin in one place', () => expectNone(rawTransactions()));
  it('what sees the rows of all tenants is known for it', () => expectNone(unnamedPlatformWork()));
});

describe('clocks', () => {
  it('nothing reads the wall clock of the machine, apart from named places', () =>
    expectNone(wallClockReads()));
  it('the named places read it', () => expectNone(staleClockPlaces()));
  it('a read is found, however it is written', () => {
    const lines = [
      'const a = Date.now();',
      'const nowMs = Date.now;',
      'at: new Date(),',
      'at: new Date,',
      'const text = Date();',
      'performance.timeOrigin + ms',
      'token.setIssuedAt().sign(key)',
      "token.setExpirationTime('15m')",
      'new Date(0)',
      'new Date(sharedNowMs() + 5)',
      'token.setIssuedAt(sharedNow())',
    ];
    const file = { path: 'src/any.ts', text: lines.join('\n'), lines, tokens: [] };
    expect(wallClockReads([file])).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8].map((line) => `src/any.ts:${line} reads the wall clock`),
    );
  });
});

describe('history', () => {
  it('the migrations close the books and the records to changes', () => {
    expect(appendOnlyTables()).toEqual(
      expect.arrayContaining([
        'policy_version',
        'sealed_receipt',
        'contract_version',
        'journal_entry',
        'audit_event',
        'feed_event',
        'ledger_entry',
        'ledger_overrun',
        'usage_event',
        'prompt_version',
        'prompt_case_set',
        'prompt_evaluation_result',
        'context_policy',
        'cost_event',
        'integration_preview',
        'blueprint_run',
        'blueprint_deployment',
        'migration_check_run',
      ]),
    );
  });
  it('no code changes a table that may only grow', () => expectNone(changedHistory()));
});
