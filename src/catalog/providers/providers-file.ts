import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { z } from 'zod';
import { parseRub } from '../../kernel/money.js';
import { ConfigError } from '../../platform/config.js';
import type { CatalogueModel, CatalogueProvider } from './catalogue-entry.js';
import type { PriceRow } from './price.js';
import {
  CAPABILITIES,
  JURISDICTIONS,
  LATENCY_TIERS,
  OPERATIONS,
  QUALITY_TIERS,
  VAT_BASES,
} from './vocabulary.js';

const ID = z
  .string()
  .regex(/^[\w.:/-]{1,120}$/, 'must be 1 to 120 letters, digits or any of . _ : / -');
const ENVIRONMENT_NAME = z.string().regex(/^[A-Z][A-Z0-9_]*$/, 'must be a variable name');
const DAY = z.iso.date('must be a day, YYYY-MM-DD');
const TOKENS = z.int().min(1).max(100_000_000);
const MILLISECONDS = z.int().min(1).max(3_600_000);

/** RUB for a million tokens, with at most six decimals; a string keeps every digit. */
const RUB = z.union([z.string(), z.number()]).transform((value, context) => {
  const micro = parseRub(String(value));
  if (micro !== undefined && micro >= 0n) return micro;
  context.addIssue({ code: 'custom', message: 'must be rubles with at most six decimals' });
  return z.NEVER;
});

const PRICE = z.strictObject({
  effective_from: DAY,
  input: RUB,
  input_cached: RUB.optional(),
  cache_write: RUB.optional(),
  output: RUB.optional(),
  output_reasoning: RUB.optional(),
  vat_basis: z.enum(VAT_BASES).default('included'),
});

const TIMEOUTS = z.strictObject({
  first_byte_ms: MILLISECONDS.optional(),
  gap_ms: MILLISECONDS.optional(),
});

const MODEL = z.strictObject({
  id: ID.optional(),
  name: z.string().min(1).max(120).optional(),
  upstream_name: z.string().min(1).max(200),
  operation: z.enum(OPERATIONS).default('chat'),
  capabilities: z.array(z.enum(CAPABILITIES)).min(1),
  context_window: TOKENS,
  max_output_tokens: TOKENS.optional(),
  image_tokens_max: TOKENS.optional(),
  image_tokens_low_max: TOKENS.optional(),
  audio_tokens_per_second_max: TOKENS.optional(),
  forward_metadata: z.boolean().optional(),
  quality: z.enum(QUALITY_TIERS).default('good'),
  russian_quality: z.enum(QUALITY_TIERS).default('good'),
  latency: z.enum(LATENCY_TIERS).default('medium'),
  jurisdiction: z.enum(JURISDICTIONS).optional(),
  operator: z.string().min(1).optional(),
  prices: z.array(PRICE).min(1),
  fallbacks: z.array(ID).default([]),
  timeouts: TIMEOUTS.default({}),
});

const BASE_URL = z.url({ protocol: /^https?$/ }).refine(
  (address) => {
    const { username, password, search, hash } = new URL(address);
    return username === '' && password === '' && search === '' && hash === '';
  },
  { message: 'must hold no user, password, query or fragment; name the key in api_key_env' },
);

const PROVIDER = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits, dashes'),
  name: z.string().min(1).max(120),
  operator: z.string().min(1).max(120),
  base_url: BASE_URL,
  api_key_env: ENVIRONMENT_NAME.optional(),
  jurisdiction: z.enum(JURISDICTIONS),
  homepage: z.url().optional(),
  forward_metadata: z.boolean().default(false),
  models: z.array(MODEL).min(1),
});

const FILE = z.strictObject({ providers: z.array(PROVIDER).min(1) });

/**
 * Reads the operator's providers from a YAML or JSON file (JSON is YAML too).
 * @throws ConfigError that lists every fault of the file at once
 */
export function readProvidersFile(file: string): CatalogueProvider[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`GW_PROVIDERS_FILE cannot be read: ${(error as Error).message}`);
  }
  return parseProviders(text, file);
}

/**
 * The providers that a YAML or JSON text declares. `source` names the text in faults.
 * @throws ConfigError that lists every fault at once
 */
export function parseProviders(text: string, source: string): CatalogueProvider[] {
  let raw: unknown;
  try {
    raw = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigError(`${source} is neither YAML nor JSON: ${(error as Error).message}`);
  }
  const parsed = FILE.safeParse(raw);
  if (parsed.success) return parsed.data.providers.map(toProvider);
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`${source} has faults:\n  ${faults.join('\n  ')}`);
}

function toProvider(entry: z.output<typeof PROVIDER>): CatalogueProvider {
  return {
    id: entry.id,
    name: entry.name,
    operator: entry.operator,
    protocol: 'chat_completions',
    jurisdiction: entry.jurisdiction,
    homepage: entry.homepage ?? '',
    baseUrl: entry.base_url,
    apiKeyEnv: entry.api_key_env,
    forwardMetadata: entry.forward_metadata,
    models: entry.models.map((model) => toModel(entry.id, model)),
  };
}

function toModel(providerId: string, entry: z.output<typeof MODEL>): CatalogueModel {
  const chat = entry.operation === 'chat';
  return {
    id: entry.id ?? `${providerId}/${entry.upstream_name}`,
    name: entry.name ?? entry.upstream_name,
    upstreamName: entry.upstream_name,
    operation: entry.operation,
    capabilities: entry.capabilities,
    contextWindow: entry.context_window,
    maxOutputTokens: chat ? (entry.max_output_tokens ?? entry.context_window) : 0,
    imageTokensMax: entry.image_tokens_max,
    imageTokensLowMax: entry.image_tokens_low_max,
    audioTokensPerSecondMax: entry.audio_tokens_per_second_max,
    forwardMetadata: entry.forward_metadata,
    quality: entry.quality,
    russianQuality: entry.russian_quality,
    latency: entry.latency,
    jurisdiction: entry.jurisdiction,
    operator: entry.operator,
    prices: entry.prices.map(toPrice),
    fallbacks: entry.fallbacks,
    firstByteMs: entry.timeouts.first_byte_ms,
    gapMs: entry.timeouts.gap_ms,
  };
}

/** A price that is not stated is that of its kind: cached as input, reasoning as output. */
function toPrice(entry: z.output<typeof PRICE>): PriceRow {
  const { input, output } = entry;
  return {
    effectiveFrom: entry.effective_from,
    microRubPerMillion: {
      input_uncached: input,
      input_cached: entry.input_cached ?? input,
      cache_write: entry.cache_write ?? input,
      ...(output === undefined
        ? {}
        : { output_text: output, output_reasoning: entry.output_reasoning ?? output }),
    },
    sourceKind: 'operator',
    vatBasis: entry.vat_basis,
  };
}
