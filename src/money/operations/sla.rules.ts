import { divide, type MicroRub } from '../../kernel/money.js';
import { MICRO_PER_KOPECK } from '../advances/kopecks.rules.js';
import { type SlaClass, slaTargets } from '../billing/vocabulary.js';
import type { SlaClassMonth } from './sla-tables.js';
import { SLA_CREDIT_STEPS, SLA_REQUESTS_MIN } from './vocabulary.js';

/** What was measured of a class in a month. */
export interface SlaMeasured {
  readonly slaClass: SlaClass;
  readonly requests: bigint;
  readonly met: bigint;
  readonly chargedMicro: MicroRub;
}

/** What the published terms say of a class in a month; too few requests certify nothing. */
export function classMonth({ slaClass, requests, met, chargedMicro }: SlaMeasured): SlaClassMonth {
  const { targetBasisPoints } = slaTargets(slaClass);
  const share = requests === 0n ? null : Number(divide(met * 10_000n, requests, 'floor'));
  const isCertain = requests >= BigInt(SLA_REQUESTS_MIN);
  // The exact share decides, and not the one that is shown.
  const isMet = met * 10_000n >= requests * BigInt(targetBasisPoints);
  const below = isMet || share === null ? 0 : Math.max(1, targetBasisPoints - share);
  const step = SLA_CREDIT_STEPS.rows.find(({ belowBasisPoints }) => below >= belowBasisPoints);
  const creditPercent = isCertain && !isMet ? (step?.creditPercent ?? 0) : 0;
  const kopecks = divide(chargedMicro * BigInt(creditPercent), 100n * MICRO_PER_KOPECK, 'floor');
  const verdict = isMet ? 'met' : 'missed';
  return {
    ...{ slaClass, requests, met, chargedMicro, creditPercent },
    sharePercent: share === null ? null : share / 100,
    targetPercent: targetBasisPoints / 100,
    verdict: isCertain ? verdict : 'cannot_certify',
    creditMicro: kopecks > 0n ? kopecks * MICRO_PER_KOPECK : 0n,
  };
}

/** Why a month is credited, as the ledger says it. */
export function creditReason(month: string, classes: readonly SlaClassMonth[]): string {
  const missed = classes.filter(({ verdict }) => verdict === 'missed');
  const parts = missed.map(
    ({ slaClass, sharePercent, targetPercent, creditPercent }) =>
      `${slaClass} ${sharePercent} % of ${targetPercent} %, credit ${creditPercent} %`,
  );
  return `${month}: ${parts.join('; ')}`;
}
