import { z } from 'zod';
import { dataFile, PATTERN } from '../../platform/data-file.js';
import { CAPABILITIES } from '../migration/vocabulary.js';
import { type Observation, snakeOf } from './observation.js';

/** An observation in the spelling that rules compare. */
export interface Seen extends Observation {
  /** The name in words: `api_key` for `apiKey`. */
  readonly key: string;
  /** The names around it in words, innermost last. */
  readonly around: readonly string[];
  /** The literal value in lower case, empty without one. */
  readonly lower: string;
  /** The type of a node of an exported workflow, in words; undefined for all other places. */
  readonly nodeType: string | undefined;
}

/** Names of members that hold the value of the member around them. */
const INDIRECT = new Set(['value', 'default', 'cached_result_name', '_value', 'name_or_id']);

/** An observation as rules see it: the name of a wrapper gives way to the name around it. */
export function seen(observation: Observation): Seen {
  const { kind, name, path, text } = observation;
  const own = snakeOf(name);
  const around = path.slice(-AROUND_MAX).map(snakeOf);
  const key = INDIRECT.has(own) ? (around.at(-1) ?? own) : own;
  const isType = NODE_KEYS.has(key) || (key === 'name' && around.at(-1) === 'data');
  const nodeType = kind === 'pair' && isType && text !== undefined ? snakeOf(text) : undefined;
  return { ...observation, key, around, lower: (text ?? '').trim().toLowerCase(), nodeType };
}

const AROUND_MAX = 4;
const NODE_KEYS = new Set(['type', 'module', '_type', 'display_name']);

const LONG_CONTEXT_TOKENS = 128_000;

type Fits = (place: Seen, pattern: RegExp) => boolean;

const isPair: Fits = ({ kind, key }, pattern) => kind === 'pair' && pattern.test(key);

/** What each sign looks at; `signals.yaml` says it in words. */
const SIGNS = {
  call: ({ kind, name }, pattern) => kind === 'call' && pattern.test(name),
  address: ({ kind, lower }, pattern) =>
    (kind === 'pair' || kind === 'text') &&
    /^(?:https?:\/\/|\/v1\/)/.test(lower) &&
    pattern.test(lower.replace(/[?#].*$/, '')),
  node: ({ nodeType }, pattern) => nodeType !== undefined && pattern.test(nodeType),
  key: isPair,
  given: (place, pattern) =>
    isPair(place, pattern) &&
    place.shape !== 'empty' &&
    !/^(?:none|null|undefined|false|0|off)$/.test(place.lower),
  on: (place, pattern) =>
    isPair(place, pattern) &&
    (place.shape === 'flag' || place.shape === 'text') &&
    /^(?:true|1|yes|on)$/.test(place.lower),
  computed: (place, pattern) => place.shape === 'other' && isPair(place, pattern),
  value: ({ kind, lower }, pattern) => kind === 'pair' && pattern.test(lower),
  literal: ({ kind, lower }, pattern) => kind !== 'call' && pattern.test(lower),
  model_key: ({ kind, key, lower }, pattern) =>
    kind !== 'call' && lower !== '' && pattern.test(key),
  model: ({ kind, key, lower }, pattern) =>
    kind !== 'call' && key.includes('model') && pattern.test(lower),
  window: ({ shape, key, lower }, pattern) =>
    (shape === 'number' || shape === 'text') &&
    pattern.test(key) &&
    Number(lower.replaceAll('_', '')) >= LONG_CONTEXT_TOKENS,
} as const satisfies Record<string, Fits>;

type Sign = keyof typeof SIGNS;
type Patterns = Readonly<Partial<Record<Sign, RegExp>>>;

const PATTERNS = Object.fromEntries(
  Object.keys(SIGNS).map((sign) => [sign, PATTERN.optional()]),
) as Record<Sign, z.ZodOptional<typeof PATTERN>>;

function shownBy(patterns: Patterns): (place: Seen) => boolean {
  const signs = Object.entries(patterns) as [Sign, RegExp][];
  const tests = signs.map(([sign, pattern]) => ({ fits: SIGNS[sign], pattern }));
  return (place) => tests.some(({ fits, pattern }) => fits(place, pattern));
}

const FILE = z.strictObject({
  signals: z.array(
    z
      .strictObject({ capability: z.enum(CAPABILITIES.codes), says: z.string(), ...PATTERNS })
      .transform(({ capability, says, ...signs }) => ({ capability, says, shows: shownBy(signs) })),
  ),
  unserved: z.array(
    z
      .strictObject({ what: z.string(), ...PATTERNS })
      .transform(({ what, ...signs }) => ({ what, shows: shownBy(signs) })),
  ),
});

const JUDGED = dataFile('src/delivery/migration-import/signals.yaml', FILE);

/** The signals of each capability, looked for in every kind of text. */
export const SIGNALS = JUDGED.signals;

/** What the gateway does not serve at all, by what shows it. */
export const UNSERVED = JUDGED.unserved;
