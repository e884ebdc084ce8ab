/** What a provider says of its limits beside an answer. Times in milliseconds from now. */
export interface Told {
  readonly requestsLeft?: number;
  readonly tokensLeft?: number;
  /** How many tokens the whole of its limit is. */
  readonly tokensLimit?: number;
  readonly requestsResetMs?: number;
  readonly tokensResetMs?: number;
}

/** A provider that names no time, or one beyond all measure, is asked again after these. */
export const TOLD_MS_DEFAULT = 1_000;
export const TOLD_MS_MAX = 60_000;

const FIGURE = /^\d{1,9}$/;
const DURATION =
  /^(?:(\d{1,3})h)?(?:(\d{1,5})m(?!s))?(?:(\d{1,6}(?:\.\d{1,6})?)s)?(?:(\d{1,8}(?:\.\d+)?)ms)?$/;

const NAMES: Readonly<Record<string, keyof Told>> = {
  'x-ratelimit-remaining-requests': 'requestsLeft',
  'x-ratelimit-remaining-tokens': 'tokensLeft',
  'x-ratelimit-limit-tokens': 'tokensLimit',
  'x-ratelimit-reset-requests': 'requestsResetMs',
  'x-ratelimit-reset-tokens': 'tokensResetMs',
};
const LENGTH_MIN = Math.min(...Object.keys(NAMES).map((name) => name.length));

/** The byte in which both `x` and `X` agree. */
const LETTER_X = 0x78;

/**
 * Reads what raw headers, name and value in turn, say of limits. What is no sane figure is left
 * out, and times are bounded: a provider that lies harms at most its own traffic of a minute.
 * @returns undefined where nothing is said
 */
export function toldBy(headers: readonly Buffer[]): Told | undefined {
  let told: { -readonly [name in keyof Told]: number } | undefined;
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const raw = headers[index];
    if (!raw || raw.length < LENGTH_MIN || ((raw[0] ?? 0) | 0x20) !== LETTER_X) continue;
    const name = NAMES[raw.toString('latin1').toLowerCase()];
    const value = headers[index + 1]?.toString('latin1').trim() ?? '';
    const figure = name && (name.endsWith('Ms') ? durationMs(value) : figureOf(value));
    if (name && figure !== undefined) told = { ...told, [name]: figure };
  }
  return told;
}

function figureOf(value: string): number | undefined {
  return FIGURE.test(value) ? Number(value) : undefined;
}

/** `120ms`, `1s`, `6m0s`, `1h2m3s`, or seconds without a unit; at most a minute. */
function durationMs(value: string): number | undefined {
  if (value === '') return undefined;
  if (/^\d{1,9}(\.\d{1,6})?$/.test(value)) return bounded(Number(value) * 1_000);
  const parts = DURATION.exec(value);
  if (!parts) return undefined;
  const [hours = 0, minutes = 0, seconds = 0, milliseconds = 0] = parts.slice(1).map(numberOf);
  return bounded(((hours * 60 + minutes) * 60 + seconds) * 1_000 + milliseconds);
}

function numberOf(part: string | undefined): number {
  return part === undefined ? 0 : Number(part);
}

/** A time that a provider names, within what it is believed. */
export function bounded(ms: number): number {
  return Math.min(TOLD_MS_MAX, Math.max(0, Math.ceil(ms)));
}
