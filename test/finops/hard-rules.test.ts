import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { ANOMALY_ACTIONS, ANOMALY_TYPES } from '../../src/finops/anomalies/vocabulary.js';
import { BUDGET_SCOPES, ON_CAP_ACTIONS } from '../../src/finops/budgets/vocabulary.js';
import * as economics from '../../src/finops/unit-economics/vocabulary.js';
import { DECISIONS, EVENT_TYPES } from '../../src/growth/value/vocabulary.js';
import * as integrity from '../../src/money/integrity/vocabulary.js';
import * as commercial from '../../src/pricing/commercial/vocabulary.js';
import * as book from '../../src/pricing/price-book/vocabulary.js';

const ROOT = join(import.meta.dirname, '..');

/** What tests of a folder are called, and the rows that their names are made of. */
function namesIn(folder: string): string {
  const files = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith('.test.ts'));
  const lines = files.flatMap((name) => readFileSync(join(ROOT, folder, name), 'utf8').split('\n'));
  return lines
    .filter((line) => /\b(it|describe)\(|\)\('|^ +\[?'\w+(:[^']+)?',/.test(line))
    .join('\n');
}

describe('the hard rules that a group publishes', () => {
  it.each([
    ['finops/unit-economics', economics.HARD_RULES.codes],
    ['pricing/price-book', book.HARD_RULES.codes],
    ['pricing/commercial', commercial.HARD_RULES.codes],
    ['money/integrity', integrity.INTEGRITY_RULES.codes],
  ] as const)('of %s each have a test of their name', (folder, rules) => {
    const names = namesIn(folder);
    expect(rules.filter((rule) => !new RegExp(`['"\`]${rule}\\b`).test(names))).toEqual([]);
  });
});

/** The words of the description of the API, beside those that the code answers with. */
const WORDS = [
  ['cost-category', economics.CATEGORIES, ['accepted', 'failed_delivery', 'retry', 'wasted']],
  ['shared-pool', economics.POOL_VERDICTS, ['cannot_allocate']],
  ['reconcile', economics.INVOICE_STATES, ['estimated', 'reported', 'invoiced']],
  ['reconcile', economics.RECONCILE_VERDICTS, ['cannot_certify']],
  [
    'budget-ladder',
    economics.LADDER,
    ['alert', 'restrict_premium', 'disable_exploration', 'force_batch', 'read_only', 'hard_stop'],
  ],
  ['profitability', economics.PROFITABILITIES, ['CANNOT_CLASSIFY']],
  ['allocate', economics.CONFIDENCES, ['DIRECT', 'ALLOCATED', 'ESTIMATED', 'UNALLOCATED']],
  ['coverage', economics.CERTIFICATIONS, ['cannot_certify']],
  [
    'finops-receipt',
    economics.METRICS,
    ['allocated_coverage', 'invoice_variance', 'forecast_error', 'margin_leakage'],
  ],
  ['price-book receipts', book.FLOOR_VERDICTS, ['BLOCKED', 'NOT_FOR_CONTRACT']],
  ['wtp', commercial.WTP_STATUSES, ['DECLARED', 'VALIDATED', 'REFUTED']],
  ['outcome', commercial.DEAL_OUTCOMES, ['win', 'loss', 'no_decision']],
  ['experiment', commercial.EXPERIMENT_VERDICTS, ['CANNOT_CONCLUDE', 'DIRECTIONAL']],
  ['completeness what-if', integrity.COMPLETENESS_DECLARED, ['CANNOT_CERTIFY']],
  ['dual-meter what-if', integrity.DUAL_METER_DECLARED, ['CANNOT_CERTIFY', 'MISMATCH']],
  ['replay what-if', integrity.REPLAY_DECLARED, ['CANNOT_CERTIFY', 'DISCREPANCY']],
  ['completeness', integrity.COMPLETENESS_LIVE, ['cannot_certify']],
  ['dual-meter', integrity.DUAL_METER_LIVE, ['MATCHED', 'MISMATCH', 'cannot_certify']],
  ['replay', integrity.REPLAY_LIVE, ['RECONCILED', 'DISCREPANCY', 'cannot_certify']],
  ['integrity receipts', integrity.INTEGRITY_VERDICTS, ['cannot_certify', 'HEALTHY']],
  ['budgets', BUDGET_SCOPES, ['use_case', 'route', 'partner_client', 'agent_session']],
  ['budget check', ON_CAP_ACTIONS, ['allow', 'block', 'degrade', 'require_approval']],
  [
    'anomaly-rules',
    ANOMALY_TYPES,
    ['retry_loop', 'context_explosion', 'fallback_cost_spike', 'spend_over_forecast'],
  ],
  ['anomaly actions', ANOMALY_ACTIONS, ['pause', 'require_approval']],
  ['value decisions', DECISIONS, ['scale', 'fix', 'pause', 'kill']],
  ['value events', EVENT_TYPES, ['ticket_deflected', 'document_processed']],
] as const;

it.each(WORDS)(
  '%s answers with the words of the description, letter by letter',
  (_, has, words) => {
    expect(has.codes).toEqual(expect.arrayContaining([...words]));
  },
);
