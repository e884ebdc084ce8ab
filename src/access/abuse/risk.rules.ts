import {
  KEY_ACTIONS,
  type KeyActionCode,
  RISK_SIGNALS,
  RISK_WINDOWS,
  type RiskSignalCode,
} from './vocabulary.js';

/** What is known of a key; null is what has no history to be measured by. */
export type RiskFacts = Readonly<Record<RiskSignalCode, number | null>> & {
  /** False where the key was never used: then there is nothing to score. */
  readonly isUsed: boolean;
  /** False for a key that is revoked or has expired: nothing needs to be done to it. */
  readonly isLive: boolean;
};

/** A signal with what it adds to the score. */
export interface JudgedSignal {
  readonly signal: RiskSignalCode;
  /** In the unit of the signal; null where there is no history. */
  readonly value: number | null;
  readonly unit: string;
  /** The most points that it can add. */
  readonly weight: number;
  /** Null where there is no history. */
  readonly points: number | null;
}

/** The risk of a key. */
export interface JudgedRisk {
  readonly verdict: 'scored' | 'partly_scored' | 'cannot_score';
  /** Points from 0 to 100; null where nothing can be scored. */
  readonly score: number | null;
  /** The score if everything that lacks history were at its worst. */
  readonly scoreCeiling: number;
  readonly signals: readonly JudgedSignal[];
  readonly missing: readonly string[];
  readonly recommendedAction: KeyActionCode;
}

/** What would lift the lack of history, by signal. */
const LIFTED_BY: Readonly<Record<RiskSignalCode, string>> = {
  age: 'The key has no time of creation.',
  rotation: 'The key has no time of creation.',
  scope: 'The rights of the key are not known.',
  spend:
    `Charged requests on at least one of the ${RISK_WINDOWS.spendDays} days before the last ` +
    `${RISK_WINDOWS.recentHours} hours.`,
  networks: `A request within the last ${RISK_WINDOWS.recentHours} hours.`,
  new_networks:
    `Requests within the last ${RISK_WINDOWS.recentHours} hours and within the ` +
    `${RISK_WINDOWS.addressDays} days before.`,
};

/**
 * Judges a key: each signal adds its weight times how far it lies between its bounds. What has no
 * history adds nothing and is named; a key without any use has no score.
 */
export function judgeRisk(facts: RiskFacts): JudgedRisk {
  const signals = RISK_SIGNALS.rows.map((row): JudgedSignal => {
    const { code: signal, unit, weight, from, to } = row;
    const value = facts[signal];
    const strength = value === null ? null : Math.min(1, Math.max(0, (value - from) / (to - from)));
    const points = strength === null ? null : hundredths(weight * strength);
    return { signal, value: value === null ? null : hundredths(value), unit, weight, points };
  });
  const known = hundredths(signals.reduce((sum, { points }) => sum + (points ?? 0), 0));
  const lacking = signals.filter(({ points }) => points === null);
  const ceiling = hundredths(known + lacking.reduce((sum, { weight }) => sum + weight, 0));
  return {
    verdict: facts.isUsed ? (lacking.length === 0 ? 'scored' : 'partly_scored') : 'cannot_score',
    score: facts.isUsed ? known : null,
    scoreCeiling: ceiling,
    signals,
    missing: lacking.map(({ signal }) => `${signal}: ${LIFTED_BY[signal]}`),
    recommendedAction: facts.isLive && facts.isUsed ? actionAt(known) : 'none',
  };
}

/** The strongest action whose score is reached. */
function actionAt(score: number): KeyActionCode {
  return KEY_ACTIONS.rows.filter(({ scoreFrom }) => score >= scoreFrom).at(-1)?.code ?? 'none';
}

function hundredths(value: number): number {
  return Math.round(value * 100) / 100;
}

/** What a day before cost, against what the last 24 hours cost. Money in micro-rubles. */
export interface SpendHistory {
  readonly recentMicro: bigint;
  readonly beforeMicro: bigint;
}

/** How many times an average day before the last 24 hours cost; null where none cost anything. */
export function spendTimes({ recentMicro, beforeMicro }: SpendHistory): number | null {
  if (beforeMicro <= 0n) return null;
  return (Number(recentMicro) * RISK_WINDOWS.spendDays) / Number(beforeMicro);
}

/** Which networks a key was used from. */
export interface NetworkHistory {
  readonly recent: readonly string[];
  readonly before: readonly string[];
}

/** The part of the recent networks that is new; null where either time has none. */
export function newNetworkShare({ recent, before }: NetworkHistory): number | null {
  if (recent.length === 0 || before.length === 0) return null;
  const known = new Set(before);
  return recent.filter((each) => !known.has(each)).length / recent.length;
}

/**
 * The network of an address, in which neighbours of one customer are alike: the first 24 bits of
 * IPv4, the first 48 of IPv6.
 */
export function networkOf(address: string): string {
  const plain = address.startsWith('::ffff:') ? address.slice('::ffff:'.length) : address;
  if (!plain.includes(':')) return `${plain.split('.').slice(0, 3).join('.')}.0/24`;
  const [head = '', tail] = (plain.split('%')[0] ?? '').split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - left.length - right.length);
  const groups = [...left, ...Array.from({ length: zeros }, () => '0'), ...right];
  const first = groups.slice(0, 3).map((group) => Number.parseInt(group, 16).toString(16));
  return `${first.join(':')}::/48`;
}
