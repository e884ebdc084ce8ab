import type { MicroRub } from '../../kernel/money.js';
import type { Provenance } from '../../kernel/provenance.js';
import type { ForecastError } from '../costs/forecast.rules.js';
import type { Metric } from './cost-tables.js';
import { coverageOf, leakageOfRecorded, type RecordedCost, sumOf } from './coverage.rules.js';
import { shareOf } from './ladder.rules.js';
import { reconcile } from './reconcile.rules.js';
import { TOLERANCE_BASIS_POINTS } from './vocabulary.js';

/** Recorded cost of suppliers in a month, and what they have invoiced for it. */
export interface SupplierCosts {
  readonly reportedMicro: MicroRub;
  readonly invoicedMicro: MicroRub;
  readonly suppliers: number;
  /** Suppliers of recorded cost that no invoice is there of, the dearest first. */
  readonly missing: readonly string[];
}

/** A forecast and what has become of it. */
interface ComparedForecast {
  /** How far the forecast was off, on whichever side. */
  readonly offMicro: bigint;
  readonly actualMicro: bigint;
  /** What the forecast rests on. */
  readonly basis: string;
}

interface Certified {
  readonly part: bigint;
  readonly whole: bigint;
  readonly share: number | null;
}

function certified(basis: string, { part, whole, share }: Certified, from: Provenance): Metric {
  return {
    verdict: 'certified',
    provenance: from,
    valueBasisPoints: share,
    partMicro: part,
    wholeMicro: whole,
    basis,
    reason: null,
    needed: [],
  };
}

function refused(basis: string, reason: string, needed: readonly string[]): Metric {
  return {
    verdict: 'cannot_certify',
    provenance: null,
    valueBasisPoints: null,
    partMicro: null,
    wholeMicro: null,
    basis,
    reason,
    needed,
  };
}

/** The share of recorded cost that is DIRECT, rounded down. */
export function coverageMetric(costs: readonly RecordedCost[], from: Provenance): Metric {
  const basis = 'DIRECT cost of all recorded cost.';
  const { verdict, reason, needed, ...found } = coverageOf(costs);
  if (verdict === 'cannot_certify') return refused(basis, reason ?? '', needed);
  const { directMicro: part, totalMicro: whole, coverageBasisPoints: share } = found;
  return certified(basis, { part, whole, share }, from);
}

/** The share of cost, of which is known what became of it, that was lost; rounded up. */
export function leakageMetric(costs: readonly RecordedCost[], from: Provenance): Metric {
  const basis = 'Cost of failed, repeated and wasted work of all cost that is known about.';
  const { verdict, reason, needed, ...found } = leakageOfRecorded(costs);
  if (verdict === 'cannot_certify') return refused(basis, reason ?? '', needed);
  const { leakageMicro, knownMicro, leakageBasisPoints: share } = found;
  return certified(basis, { part: leakageMicro ?? 0n, whole: knownMicro ?? 0n, share }, from);
}

/**
 * How far invoices are from recorded cost, half up. Every supplier of recorded cost needs its
 * invoice: a comparison of those that have one would say nothing about the others.
 */
export function invoiceMetric(found: SupplierCosts, month: string, from: Provenance): Metric {
  const basis = 'Invoices of all suppliers less their recorded cost, of that cost.';
  if (found.suppliers === 0 || found.missing.length > 0) {
    const needed = found.missing.map((supplier) => `an invoice of ${supplier} for ${month}`);
    const anything = [`cost with a supplier, and its invoice for ${month}`];
    const reason = 'There is no invoice of every supplier of recorded cost.';
    return refused(basis, reason, needed.length > 0 ? needed : anything);
  }
  const compared = reconcile({
    estimatedMicro: null,
    reportedMicro: found.reportedMicro,
    invoicedMicro: found.invoicedMicro,
    toleranceBasisPoints: TOLERANCE_BASIS_POINTS,
  });
  const share = compared.varianceBasisPoints;
  const part = compared.varianceMicro;
  if (part === null || share === null) {
    const reason = 'Invoices stand alone: no cost of their suppliers was recorded.';
    return refused(basis, reason, [`recorded cost of ${month}`]);
  }
  return certified(basis, { part, whole: found.reportedMicro, share }, from);
}

/** How far forecasts were from the cost, as a share of the cost; rounded up. */
export function forecastMetric(compared: ComparedForecast | undefined, from: Provenance): Metric {
  const what = 'A forecast and the cost that it was of.';
  if (!compared || compared.actualMicro <= 0n) {
    const reason = 'There is no forecast that could be compared with recorded cost.';
    return refused(what, reason, [FORECAST_NEEDED]);
  }
  const { offMicro: part, actualMicro: whole, basis } = compared;
  return certified(basis, { part, whole, share: shareOf(part, whole, 'ceil') }, from);
}

const FORECAST_NEEDED =
  'a recorded forecast whose run ended in the period, or recorded cost in both halves of it';

/**
 * The recorded forecasts whose runs ended in a period; nothing where there is none, or where their
 * scopes have spent nothing, of which an error could be a share.
 */
export function recordedForecasts(error: ForecastError): ComparedForecast | undefined {
  const { forecasts, offMicro, actualMicro } = error;
  if (forecasts === 0 || actualMicro <= 0n) return undefined;
  const basis =
    `Recorded forecasts whose runs ended in the period (${forecasts}), each against what its ` +
    'scope spent from its start to its end, VAT included.';
  return { offMicro, actualMicro, basis };
}

/**
 * The forecast of a period that its own costs give: its first half went on as it was. Where nothing
 * was recorded in the first half, there was nothing to go on with.
 */
export function runRateForecast(costs: readonly RecordedCost[]): ComparedForecast | undefined {
  const earlyMicro = sumOf(costs, ({ isEarly }) => isEarly);
  if (earlyMicro <= 0n) return undefined;
  const actualMicro = sumOf(costs);
  const forecastMicro = earlyMicro * 2n;
  return {
    offMicro:
      forecastMicro > actualMicro ? forecastMicro - actualMicro : actualMicro - forecastMicro,
    actualMicro,
    basis:
      'No recorded forecast ended in the period with spend: the run rate of the first half of ' +
      'the period, carried on to its end, against its cost.',
  };
}
