import { snakeCase } from '../../kernel/fields/names.js';
import { divide, formatRub, type MicroRub } from '../../kernel/money.js';
import { ESTIMATE_DEFAULTS, type Estimate, type EstimateInput } from './estimate-tables.js';

/** How an estimate is made. */
const FORMULA =
  'manual = items × minutes / 60 × hourly; remaining = manual × (100 − automated) %; ' +
  'review = items × automated % × review_minutes / 60 × hourly; ' +
  'ai = items × automated % × ai_per_item + fee; saving = manual − remaining − review − ai; ' +
  'roi = saving / ai × 100; payback = setup / saving. Costs are rounded up, the manual one down.';

/** Minutes and percents are counted in thousandths, so that every step is exact. */
const THOUSAND = 1_000n;
const SECONDS_60 = 60n;
const HUNDRED = 100n;

/**
 * What manual work costs in a month and what it would cost with AI. Every rounding is against the
 * saving, and every figure that nobody has stated is named as an assumption.
 */
export function estimateRoi(given: EstimateInput): Estimate {
  const items = BigInt(given.itemsPerMonth);
  const used = {
    minutesPerItem: given.minutesPerItem ?? ESTIMATE_DEFAULTS.minutesPerItem,
    hourlyCostMicro: given.hourlyCostMicro ?? ESTIMATE_DEFAULTS.hourlyCostMicro,
    automatedPercent: given.automatedPercent ?? ESTIMATE_DEFAULTS.automatedPercent,
    reviewMinutesPerItem: given.reviewMinutesPerItem ?? ESTIMATE_DEFAULTS.reviewMinutesPerItem,
    aiCostPerItemMicro: given.aiCostPerItemMicro ?? ESTIMATE_DEFAULTS.aiCostPerItemMicro,
    monthlyFeeMicro: given.monthlyFeeMicro ?? ESTIMATE_DEFAULTS.monthlyFeeMicro,
    setupCostMicro: given.setupCostMicro ?? ESTIMATE_DEFAULTS.setupCostMicro,
  };
  const minutes = thousandths(used.minutesPerItem);
  const review = thousandths(used.reviewMinutesPerItem);
  const automated = thousandths(used.automatedPercent);
  const ofAll = THOUSAND * HUNDRED;
  const { hourlyCostMicro: hourly, monthlyFeeMicro: fee, setupCostMicro: setup } = used;
  const work = items * minutes * hourly;
  const manualCostMicro = divide(work, THOUSAND * SECONDS_60, 'floor');
  const perWork = THOUSAND * SECONDS_60 * ofAll;
  const remainingManualCostMicro = divide(work * (ofAll - automated), perWork, 'ceil');
  const reviewCostMicro = divide(items * review * hourly * automated, perWork, 'ceil');
  const aiCostMicro = divide(items * automated * used.aiCostPerItemMicro, ofAll, 'ceil') + fee;
  const netSavingMicro = manualCostMicro - remainingManualCostMicro - reviewCostMicro - aiCostMicro;
  const savedThousandths = divide(items * automated * (minutes - review), ofAll, 'floor');
  return {
    manualCostMicro,
    remainingManualCostMicro,
    reviewCostMicro,
    aiCostMicro,
    netSavingMicro,
    hoursSaved: Number(divide(savedThousandths * 10n, SECONDS_60 * THOUSAND, 'floor')) / 10,
    roiPercent: percentOf(netSavingMicro, aiCostMicro),
    paybackMonths: paybackOf(setup, netSavingMicro),
    formula: FORMULA,
    assumptions: [
      { name: 'items_per_month', value: String(items), source: 'stated' },
      ...Object.entries(used).map(([name, value]) => ({
        name: snakeCase(name.replace('Micro', 'Rub')),
        value: typeof value === 'bigint' ? formatRub(value) : String(value),
        source: isStated(given, name) ? ('stated' as const) : ('default' as const),
      })),
    ],
  };
}

function isStated(given: EstimateInput, name: string): boolean {
  return given[name as keyof EstimateInput] !== null;
}

function thousandths(figure: number): bigint {
  return BigInt(Math.round(figure * 1_000));
}

/** To two places, rounded down. */
function percentOf(savingMicro: MicroRub, costMicro: MicroRub): number | null {
  if (costMicro === 0n) return null;
  return Number(divide(savingMicro * 10_000n, costMicro, 'floor')) / 100;
}

function paybackOf(setupMicro: MicroRub, savingMicro: MicroRub): number | null {
  if (savingMicro <= 0n) return null;
  return Number(divide(setupMicro * 10n, savingMicro, 'ceil')) / 10;
}
