import { QUALITY_TIERS } from '../../catalog/providers/vocabulary.js';
import { day, fieldTable, flag, integer, optional } from '../../kernel/fields/field.js';
import { VAT_RATES } from '../../kernel/time.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  BASIS_POINTS,
  CATEGORIES,
  CATEGORY_VERDICTS,
  CERTIFICATIONS,
  CONFIDENCES,
  COST_KINDS,
  COST_SOURCES,
  DELIVERIES,
  DRIVERS,
  GATE_VERDICTS,
  HARD_RULES,
  INVOICE_STATES,
  LADDER,
  LEAKAGE_VERDICTS,
  MAP_VERDICTS,
  METRICS,
  POOL_VERDICTS,
  PROFITABILITIES,
  RECONCILE_VERDICTS,
  TOLERANCE_BASIS_POINTS,
  USES,
} from './vocabulary.js';

const CATEGORY_ROW = fieldTable('CostCategoryRow', 'What can become of paid work.', {
  isLoss: flag('Whether nobody had any use of it.'),
});
const DRIVER_ROW = fieldTable('CostDriverRow', 'The approved drivers of shared costs.', {
  isMeasured: flag('Whether the gateway counts its units, so that recorded costs can use it.'),
});
const STEP_ROW = fieldTable('BudgetLadderRow', 'The steps of the budget ladder, in their order.', {
  fromBasisPoints: integer('The share of the budget at which the step begins.'),
});
const TIER_ROW = fieldTable('PremiumTierRow', 'The quality tiers that the catalogue declares.', {
  isPremium: flag('Whether the step restrict_premium keeps models of the tier out.'),
});
const CLASS_ROW = fieldTable('ProfitabilityRow', 'The classes of customers, by their margin.', {
  fromBasisPoints: optional(integer('The lowest margin; null where no margin is the lowest.')),
});
const RATE_ROW = fieldTable('VatRateRow', 'The VAT rates by the day of supply.', {
  effectiveFrom: day('The first day of the rate.'),
  basisPoints: integer('The rate in basis points.'),
});
const RATES = VAT_RATES.map((rate) => ({
  code: `from_${rate.effectiveFrom}`,
  description: `${rate.basisPoints / 100} % from ${rate.effectiveFrom}.`,
  ...rate,
}));

publishReference({
  module: 'unit-economics',
  type: 'UnitEconomicsReference',
  description: 'The lists and hard rules that costs are judged by.',
  lists: {
    allocationConfidence: codes('confidence', CONFIDENCES),
    costCategories: rows('category', CATEGORIES.rows, CATEGORY_ROW),
    budgetLadder: rows('ladder_step', LADDER.rows, STEP_ROW),
    qualityTiers: rows('quality_tier', QUALITY_TIERS.rows, TIER_ROW),
    hardRules: codes('hard_rule', HARD_RULES),
    metrics: codes('metric', METRICS),
    drivers: rows('driver', DRIVERS.rows, DRIVER_ROW),
    vatRates: rows('vat_rate', RATES, RATE_ROW),
    costKinds: codes('cost_kind', COST_KINDS),
    costSources: codes('cost_source', COST_SOURCES),
    deliveries: codes('delivery', DELIVERIES),
    uses: codes('use', USES),
    invoiceStates: codes('invoice_state', INVOICE_STATES),
    profitabilities: rows('profitability', PROFITABILITIES.rows, CLASS_ROW),
    certifications: codes('certification', CERTIFICATIONS),
    categoryVerdicts: codes('category_verdict', CATEGORY_VERDICTS),
    poolVerdicts: codes('pool_verdict', POOL_VERDICTS),
    reconcileVerdicts: codes('reconcile_verdict', RECONCILE_VERDICTS),
    gateVerdicts: codes('gate_verdict', GATE_VERDICTS),
    leakageVerdicts: codes('leakage_verdict', LEAKAGE_VERDICTS),
    mapVerdicts: codes('map_verdict', MAP_VERDICTS),
  },
  figures: {
    fields: {
      invoiceToleranceBasisPoints: integer('How far an invoice may be from the report.'),
      wholeBasisPoints: integer('Basis points of a whole.'),
    },
    values: { invoiceToleranceBasisPoints: TOLERANCE_BASIS_POINTS, wholeBasisPoints: BASIS_POINTS },
  },
});
