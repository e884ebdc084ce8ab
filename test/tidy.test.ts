import { describe, expect, it } from 'vitest';
import { uncataloguedCodes, unfilledPlaces, unraisedCodes } from './tidy/error-rules.js';
import {
  barrels,
  brokenImports,
  importCircles,
  staleExceptions,
  unregisteredVocabularies,
  unusedExports,
  unusedFiles,
  wrongImports,
} from './tidy/import-rules.js';
import {
  documentedEndpoints,
  missingRows,
  rowsOfOtherAccess,
  staleExtensions,
  staleGroups,
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
});

describe('REST', () => {
  it('the specification has 256 endpoints', () => {
    expect(documentedEndpoints()).toHaveLength(256);
    expect(new Set(documentedEndpoints().map(({ key }) => key)).size).toBe(256);
  });
  it('every documented endpoint of a served group has a row', () => expectNone(missingRows()));
  it('every row is documented, or a known extension', () => expectNone(undocumentedRows()));
  it('every row has the documented access', () => expectNone(rowsOfOtherAccess()));
  it('groups that are not served lack a row', () => expectNone(staleGroups()));
  it('every known extension has a row', () => expectNone(staleExtensions()));
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
        'context_policy',
        'integration_preview',
        'blueprint_run',
        'blueprint_deployment',
        'migration_check_run',
      ]),
    );
  });
  it('no code changes a table that may only grow', () => expectNone(changedHistory()));
});
