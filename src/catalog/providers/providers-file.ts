import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { z } from 'zod';
import { camelCased } from '../../kernel/fields/names.js';
import { parseRub } from '../../kernel/money.js';
import { USAGE_OPERATIONS } from '../../money/billing/vocabulary.js';
import { ConfigError } from '../../platform/config.js';
import {
  type CatalogueModel,
  type CatalogueProvider,
  type DeploymentLimits,
  OUTPUT_LIMIT_MEMBERS,
} from './catalogue-entry.js';
import { withContents } from './connection.js';
import {
  CONNECTION_FIELDS,
  type ConnectionEntry,
  connectionIssues,
  ENVIRONMENT_NAME,
  PLAIN_ADDRESS,
} from './connection-entry.js';
import { listPrice, type PriceRow } from './price.js';
import {
  CAPABILITIES,
  JURISDICTIONS,
  LATENCY_TIERS,
  PROTOCOLS,
  type Protocol,
  QUALITY_TIERS,
  SELECTIONS,
  SOURCE_KINDS,
  type SourceKind,
  TRAFFIC_BOUNDS,
  VAT_BASES,
} from './vocabulary.js';

const ID = z
  .string()
  .regex(/^[\w.:/-]{1,120}$/, 'must be 1 to 120 letters, digits or any of . _ : / -');
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
  vat_basis: z.enum(VAT_BASES.codes).default('included'),
});

const TIMEOUTS = z.strictObject({
  first_byte_ms: MILLISECONDS.optional(),
  gap_ms: MILLISECONDS.optional(),
});

/** What a provider lets a deployment take, in the words of the file. */
const LIMITS = z.strictObject({
  requests_per_minute: z.int().min(1).max(TRAFFIC_BOUNDS.requestsPerMinuteMax).optional(),
  tokens_per_minute: z.int().min(1).max(TRAFFIC_BOUNDS.tokensPerMinuteMax).optional(),
  concurrent_requests: z.int().min(1).max(TRAFFIC_BOUNDS.concurrentMax).optional(),
});

const MODEL = z.strictObject({
  id: ID.optional(),
  name: z.string().min(1).max(120).optional(),
  upstream_name: z.string().min(1).max(200),
  operation: z.enum(USAGE_OPERATIONS.codes).default('chat'),
  capabilities: z.array(z.enum(CAPABILITIES.codes)).min(1),
  context_window: TOKENS,
  max_output_tokens: TOKENS.optional(),
  output_limit_member: z.enum(OUTPUT_LIMIT_MEMBERS).optional(),
  image_tokens_max: TOKENS.optional(),
  image_tokens_low_max: TOKENS.optional(),
  audio_tokens_per_second_max: TOKENS.optional(),
  forward_metadata: z.boolean().optional(),
  quality: z.enum(QUALITY_TIERS.codes).default('good'),
  russian_quality: z.enum(QUALITY_TIERS.codes).default('good'),
  latency: z.enum(LATENCY_TIERS.codes).default('medium'),
  jurisdiction: z.enum(JURISDICTIONS.codes).optional(),
  operator: z.string().min(1).optional(),
  prices: z.array(PRICE).min(1),
  fallbacks: z.array(ID).default([]),
  timeouts: TIMEOUTS.default({}),
  selection: z.enum(SELECTIONS.codes).optional(),
  weight: z.int().min(0).max(TRAFFIC_BOUNDS.weightMax).optional(),
  limits: LIMITS.optional(),
});

const PROVIDER = z.strictObject({
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits, dashes'),
  name: z.string().min(1).max(120),
  operator: z.string().min(1).max(120),
  base_url: PLAIN_ADDRESS,
  api_key_env: ENVIRONMENT_NAME.optional(),
  jurisdiction: z.enum(JURISDICTIONS.codes),
  homepage: z.url().optional(),
  forward_metadata: z.boolean().default(false),
  models: z.array(MODEL).min(1),
});

/** A provider of the server's own file, which may name files and variables of the server. */
const FILE_PROVIDER = PROVIDER.extend(CONNECTION_FIELDS).superRefine(refuseConnection);

const FILE = z.strictObject({ providers: z.array(FILE_PROVIDER).min(1) });

function refuseConnection(entry: ConnectionEntry, context: z.RefinementCtx): void {
  for (const issue of connectionIssues(entry)) context.addIssue({ code: 'custom', ...issue });
}

/** A built-in entry says too who stated its prices, and may be one that cannot be called. */
const BUILT_IN = PROVIDER.extend({
  ...CONNECTION_FIELDS,
  ca_file_env: ENVIRONMENT_NAME.optional(),
  protocol: z.enum(PROTOCOLS.codes).default('chat_completions'),
  base_url: PLAIN_ADDRESS.optional(),
  base_url_env: ENVIRONMENT_NAME.optional(),
  required_env: z.array(ENVIRONMENT_NAME).default([]),
  models: z.array(
    MODEL.extend({
      prices: z.array(PRICE.extend({ source: z.enum(SOURCE_KINDS.codes).optional() })),
    }),
  ),
});

const CATALOGUE_FILE = z.strictObject({ providers: z.array(BUILT_IN) });

/**
 * Reads the operator's providers from a YAML or JSON file (JSON is YAML too).
 * @throws ConfigError that lists every fault of the file at once
 */
export function readProvidersFile(
  file: string,
  environment: NodeJS.ProcessEnv = process.env,
): CatalogueProvider[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new ConfigError(`GW_PROVIDERS_FILE cannot be read: ${(error as Error).message}`);
  }
  return withContents(parseProviders(text, file), dirname(resolve(file)), environment);
}

/**
 * The providers that a YAML or JSON text declares. `source` names the text in faults.
 * @throws ConfigError that lists every fault at once
 */
export function parseProviders(text: string, source: string): CatalogueProvider[] {
  const { providers } = parsed(FILE, text, source);
  return providers.map((entry) => toProvider({ ...entry, protocol: 'chat_completions' }));
}

/** The same for the content of the built-in catalogue. @throws ConfigError with every fault */
export function readCatalogue(content: unknown, source: string): CatalogueProvider[] {
  return checked(CATALOGUE_FILE, content, source).providers.map(toProvider);
}

/**
 * One provider as a value of JSON, in the words of the file, or every fault of it with its path.
 */
export function readProvider(definition: unknown): CatalogueProvider | readonly FileFault[] {
  const result = PROVIDER.safeParse(definition);
  if (result.success) return toProvider({ ...result.data, protocol: 'chat_completions' });
  return faultsOf(result.error);
}

/** A dated price of an operator as a value of JSON, or every fault of it. */
export function readPrice(value: unknown): PriceRow | readonly FileFault[] {
  const result = PRICE.safeParse(value);
  return result.success ? toPrice(result.data) : faultsOf(result.error);
}

/** What a provider lets a deployment take as a value of JSON, or every fault of it. */
export function readLimits(value: unknown): DeploymentLimits | readonly FileFault[] {
  const result = LIMITS.safeParse(value);
  return result.success ? camelCased(result.data) : faultsOf(result.error);
}

function faultsOf({ issues }: z.ZodError): FileFault[] {
  return issues.map(({ path, message }) => ({ path: path.join('.'), message }));
}

/** A fault of a value, by its path in it. */
export interface FileFault {
  readonly path: string;
  readonly message: string;
}

function parsed<T>(schema: z.ZodType<T>, text: string, source: string): T {
  let raw: unknown;
  try {
    raw = parse(text, { maxAliasCount: 100 });
  } catch (error) {
    throw new ConfigError(`${source} is neither YAML nor JSON: ${(error as Error).message}`);
  }
  return checked(schema, raw, source);
}

function checked<T>(schema: z.ZodType<T>, raw: unknown, source: string): T {
  const result = schema.safeParse(raw);
  if (result.success) return result.data;
  const faults = result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  throw new ConfigError(`${source} has faults:\n  ${faults.join('\n  ')}`);
}

type ProviderEntry =
  | z.output<typeof PROVIDER>
  | z.output<typeof FILE_PROVIDER>
  | z.output<typeof BUILT_IN>;
type ModelEntry = ProviderEntry['models'][number];

function toProvider(entry: ProviderEntry & { readonly protocol: Protocol }): CatalogueProvider {
  const models = entry.models.map((model) => toModel(entry.id, model));
  const { ca_file, ca_file_env, client_certificate, headers, headers_env, login, ...plain } =
    entry as typeof entry & ConnectionEntry;
  const stated = { ca_file, ca_file_env, client_certificate, headers, headers_env, login };
  const isPlain = Object.values(stated).every((member) => member === undefined);
  const connection = isPlain ? {} : { connection: stated };
  return { homepage: '', ...camelCased(plain), models, ...connection };
}

function toModel(providerId: string, { timeouts, limits, ...entry }: ModelEntry): CatalogueModel {
  const chat = entry.operation === 'chat';
  return {
    ...camelCased(entry),
    id: entry.id ?? `${providerId}/${entry.upstream_name}`,
    name: entry.name ?? entry.upstream_name,
    maxOutputTokens: chat ? (entry.max_output_tokens ?? entry.context_window) : 0,
    prices: entry.prices.map(toPrice),
    firstByteMs: timeouts.first_byte_ms,
    gapMs: timeouts.gap_ms,
    limits: limits && camelCased(limits),
  };
}

function toPrice(entry: ModelEntry['prices'][number] & { source?: SourceKind }): PriceRow {
  const { effective_from, source = 'operator', vat_basis, ...stated } = entry;
  return listPrice(effective_from, camelCased(stated), source, vat_basis);
}
