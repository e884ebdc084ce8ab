import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join, resolve } from 'node:path';
import { z } from 'zod';
import { type Site, siteOf } from '../kernel/cross-origin.js';
import { isUuid } from '../kernel/ids.js';
import { editDistance } from '../kernel/near-names.js';
import { coresAtHand } from './cores.js';
import { makeFolder } from './folders.js';
import { headerList, headersIn } from './header-list.js';
import { NO_PROXIES, type TrustedProxies, trustedProxies } from './network/client-address.js';
import { nameServerList } from './network/name-servers.js';
import { type Witness, witnessesIn } from './witness-list.js';

const flag = (fallback: 'on' | 'off') =>
  z
    .enum(['on', 'off', 'true', 'false', '1', '0'])
    .default(fallback)
    .transform((value) => value === 'on' || value === 'true' || value === '1');

const ROUTE = /^(\/:?[\p{L}\p{N}._-]{1,64}){1,8}$/u;

/** Routes of the operator's pages, such as `/docs/:page, /pricing`. */
const beaconRoutes = z
  .string()
  .max(10_000)
  .default('/pricing, /docs/:page, /blog/:page, /signup, /contact')
  .refine((routes) => routes.split(',').every((route) => ROUTE.test(route.trim())), {
    error: 'must be routes such as /docs/:page, of at most 8 parts, separated by commas',
  });

const milliseconds = (fallback: number) => z.coerce.number().int().min(1).default(fallback);

const NO_URL = 'is no URL; of a password, letters such as #, / and @ have to be percent-encoded';

function isUrl(text: string): boolean {
  return URL.canParse(text);
}

const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\//, 'must begin with postgres:// or postgresql://')
  .refine(isUrl, { error: NO_URL });

function wordsIn(list: string): string[] {
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
}

function isHost(text: string): boolean {
  return isIP(text) !== 0 || /^[a-z0-9_-]+(\.[a-z0-9_-]+)*$/.test(text);
}

const hostList = z
  .string()
  .default('')
  .refine((list) => wordsIn(list).every(isHost), {
    error: 'must list host names and addresses alone, without schemes, ports and wildcards',
  });

/** `*`, or origins as browsers name them. */
const originList = z
  .string()
  .default('*')
  .refine((list) => list.trim() === '*' || wordsIn(list).every(isOrigin), {
    error: 'must be * or list origins, such as https://app.example.com, without paths',
  });

function originsOf(list: string): Site['origins'] {
  return list.trim() === '*' ? '*' : new Set(wordsIn(list));
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

const RETRY_SECONDS_MAX = 604_800;
const RETRIES_MAX = 15;
/** Whole seconds, separated by commas or spaces. */
const secondsList = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .refine((list) => wordsIn(list).length <= RETRIES_MAX && wordsIn(list).every(isSeconds), {
      error: `must list at most ${RETRIES_MAX} whole seconds, each up to ${RETRY_SECONDS_MAX}`,
    });

function isSeconds(text: string): boolean {
  return /^\d+$/.test(text) && Number(text) <= RETRY_SECONDS_MAX;
}

const WORKERS_MAX = 64;

/** How many processes serve. */
const workers = z
  .string()
  .default('1')
  .refine((text) => text === 'auto' || (/^[1-9]\d?$/.test(text) && Number(text) <= WORKERS_MAX), {
    error: `must be a whole number from 1 to ${WORKERS_MAX}, or auto for one each core`,
  });

function workerCountOf(text: string): number {
  return text === 'auto' ? Math.min(coresAtHand(), WORKERS_MAX) : Number(text);
}

/** Every setting of the product. The names are those of the environment. */
const ENVIRONMENT = z.object({
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(8080),
  HOST: z.string().default('0.0.0.0'),
  GW_PUBLIC_URL: z.url().optional(),
  GW_TRUSTED_PROXIES: z
    .string()
    .default('')
    .refine((list) => trustedProxies(list) !== undefined, {
      error: 'must list addresses and CIDR ranges, or be the number of proxies in front, up to 16',
    }),
  GW_CORS_ORIGINS: originList,
  GW_DATA_DIR: z.string().default('./data'),
  DATABASE_URL: postgresUrl.optional(),
  DATABASE_MIGRATION_URL: postgresUrl.optional(),
  DATABASE_POOL_MAX: z.coerce.number().int().min(2).max(200).default(10),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must begin with redis:// or rediss://')
    .refine(isUrl, { error: NO_URL })
    .optional(),
  GW_SECRET: z.string().min(32, 'must have at least 32 characters').optional(),
  GW_SECRET_PREVIOUS: z.string().min(32, 'must have at least 32 characters').optional(),
  GW_SECRET_NEXT: z.string().min(32, 'must have at least 32 characters').optional(),
  GW_NODE_ID: z
    .string()
    .regex(/^[\w.-]{1,64}$/, 'must be 1 to 64 letters, digits, dots, dashes or underscores')
    .optional(),
  GW_WORKERS: workers,
  GW_ALLOW_MANUAL_TOP_UP: flag('off'),
  GW_SANDBOX: flag('on'),
  GW_PROVIDERS_FILE: z.string().optional(),
  GW_OPERATOR_NAME: z.string().trim().min(1).max(200).default('LLM gateway'),
  GW_SECURITY_CONTACT: z
    .string()
    .trim()
    .regex(/^(https:\/\/\S+|[^\s@]+@[^\s@]+)$/, 'must be an e-mail address or an https address')
    .max(200)
    .optional(),
  GW_BEACON_ROUTES: beaconRoutes,
  GW_SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must begin with smtp:// or smtps://')
    .refine(isUrl, { error: NO_URL })
    .optional(),
  GW_SMTP_FROM: z
    .string()
    .trim()
    .regex(/^([^<>@\r\n]*<[^\s<>@]+@[^\s<>@]+>|[^\s<>@]+@[^\s<>@]+)$/, 'must be an e-mail address')
    .optional(),
  GW_PLATFORM_ADMINS: z
    .string()
    .default('')
    .refine((list) => wordsIn(list).every(isUuid), {
      message:
        'must be ids of members, as their registration answered them: anybody can claim an e-mail',
    }),
  GW_FOUR_EYES_ABOVE_RUB: z.coerce.number().int().min(0).max(1_000_000_000).default(10_000),
  GW_OPERATOR_TOKEN: z.string().min(16).optional(),
  GW_WEBHOOK_ALLOW: hostList,
  GW_WEBHOOK_RETRY_SECONDS: secondsList('5,300,1800,7200,18000,36000,50400,72000,86400'),
  GW_WEBHOOK_TIMEOUT_MS: milliseconds(15_000),
  GW_LOG_WITNESSES: z.string().default(''),
  GW_DNS_SERVERS: nameServerList,
  GW_PROVIDER_ALLOW: hostList,
  GW_CONNECT_TIMEOUT_MS: milliseconds(2_000),
  GW_FIRST_BYTE_TIMEOUT_MS: milliseconds(30_000),
  GW_FIRST_BYTE_TOTAL_TIMEOUT_MS: milliseconds(60_000),
  GW_CHUNK_GAP_TIMEOUT_MS: milliseconds(30_000),
  GW_REQUEST_TIMEOUT_MS: milliseconds(600_000),
  GW_DRAIN_TIMEOUT_MS: milliseconds(30_000),
  // Less would take a long turn of the event loop for a hang.
  GW_HANG_TIMEOUT_MS: z.coerce.number().int().min(2_000).max(600_000).default(10_000),
  GW_IN_FLIGHT_MAX: z.coerce.number().int().min(1).default(2_000),
  GW_SOCKETS_PER_ADDRESS_MAX: z.coerce.number().int().min(1).default(500),
  GW_SOCKETS_PER_CREDENTIAL_MAX: z.coerce.number().int().min(1).default(100),
  GW_SOCKET_OPERATIONS_MAX: z.coerce.number().int().min(1).default(20),
  GW_REGISTRATIONS_PER_MINUTE: z.coerce.number().int().min(1).default(20),
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
  OTEL_EXPORTER_OTLP_HEADERS: headerList,
  OTEL_EXPORTER_OTLP_TIMEOUT: milliseconds(5_000),
  OTEL_BSP_SCHEDULE_DELAY: milliseconds(1_000),
  OTEL_SERVICE_NAME: z.string().trim().min(1).max(200).default('gw'),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent']).default('info'),
});

/** The configuration in force, as read and checked once at start. */
export interface Config extends Readonly<z.output<typeof ENVIRONMENT>> {
  readonly dataDir: string;
  readonly secret: string;
  /** What the secret was, or is to become: they open and verify, and make nothing. */
  readonly otherSecrets: readonly string[];
  readonly nodeId: string;
  /** How many processes serve on the port; with one of them it is this one. */
  readonly workerCount: number;
  /** Whose pages may read answers, and the headers of all of them. */
  readonly site: Site;
  readonly manualTopUpAllowed: boolean;
  readonly platformAdmins: ReadonlySet<string>;
  /** Whom the gateway believes when they say for which client they ask. */
  readonly trustedProxies: TrustedProxies;
  /** Hosts and addresses inside that webhooks may call, in lower case. */
  readonly webhookHostsAllowed: ReadonlySet<string>;
  /** The wait after each failed attempt to tell an endpoint of an event, in seconds. */
  readonly webhookRetrySeconds: readonly number[];
  /** Hosts inside that providers may be at which are added while the process runs. */
  readonly providerHostsAllowed: ReadonlySet<string>;
  /** Who may cosign the checkpoints of published logs. */
  readonly witnesses: readonly Witness[];
  /** What the collector of spans is sent along. */
  readonly otlpHeaders: Readonly<Record<string, string>>;
}

/** The configuration is not usable; the message lists every fault at once. */
export class ConfigError extends Error {}

/**
 * Reads the configuration from the environment alone.
 * @throws ConfigError with one line for each fault
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(environment).filter(([, value]) => value));
  const parsed = ENVIRONMENT.safeParse(present);
  const faults = parsed.success
    ? []
    : parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`);
  const webhookHostsAllowed = new Set(wordsIn(present.GW_WEBHOOK_ALLOW ?? ''));
  const listed = witnessesIn(present.GW_LOG_WITNESSES ?? '', webhookHostsAllowed);
  faults.push(...listed.faults.map((fault) => `GW_LOG_WITNESSES: ${fault}`));
  faults.push(...misspeltSettings(Object.keys(present)), ...missingForMail(present));
  if (present.NODE_ENV === 'production' && !present.GW_SECRET) {
    faults.push('GW_SECRET: is required in production; it seals keys, tokens and stored answers');
  }
  if (!parsed.success || faults.length > 0) {
    throw new ConfigError(`The configuration has faults:\n  ${faults.join('\n  ')}`);
  }
  const values = parsed.data;
  const dataDir = resolve(values.GW_DATA_DIR);
  return {
    ...values,
    dataDir,
    secret: values.GW_SECRET ?? localSecret(dataDir),
    otherSecrets: otherSecretsOf(values),
    nodeId: values.GW_NODE_ID ?? `node-${randomBytes(4).toString('hex')}`,
    workerCount: workerCountOf(values.GW_WORKERS),
    manualTopUpAllowed: values.NODE_ENV !== 'production' || values.GW_ALLOW_MANUAL_TOP_UP,
    trustedProxies: trustedProxies(values.GW_TRUSTED_PROXIES) ?? NO_PROXIES,
    site: siteOf(originsOf(values.GW_CORS_ORIGINS), values.GW_PUBLIC_URL),
    platformAdmins: new Set(wordsIn(values.GW_PLATFORM_ADMINS)),
    webhookHostsAllowed,
    witnesses: listed.witnesses,
    webhookRetrySeconds: wordsIn(values.GW_WEBHOOK_RETRY_SECONDS).map(Number),
    providerHostsAllowed: new Set(wordsIn(values.GW_PROVIDER_ALLOW)),
    otlpHeaders: headersIn(values.OTEL_EXPORTER_OTLP_HEADERS) ?? {},
  };
}

function otherSecretsOf({
  GW_SECRET_PREVIOUS,
  GW_SECRET_NEXT,
}: z.output<typeof ENVIRONMENT>): readonly string[] {
  return [GW_SECRET_PREVIOUS, GW_SECRET_NEXT].filter((each) => each !== undefined);
}

/** A link in an e-mail names the address of the settings: whoever asks for one may forge a host. */
function missingForMail(present: NodeJS.ProcessEnv): string[] {
  if (!present.GW_SMTP_URL) return [];
  const missing = ['GW_SMTP_FROM', 'GW_PUBLIC_URL'].filter((name) => !present[name]);
  return missing.map((name) => `${name}: is required with GW_SMTP_URL; e-mails name it`);
}

const PREFIX = 'GW_';
const WRONG_LETTERS_MAX = 2;

/** What Kubernetes sets by itself in the neighbourhood of a service that is called `gw`. */
const SET_BY_OTHERS: ReadonlySet<string> = new Set(['GW_PORT', 'GW_HOST']);

/**
 * Names that nobody reads and that are near to a setting which is not set: it was meant, and its
 * default would be in force without a word. Other names with our prefix may be keys of providers.
 */
function misspeltSettings(present: readonly string[]): string[] {
  const known = Object.keys(ENVIRONMENT.shape);
  const missing = known.filter((name) => !present.includes(name));
  const strange = present.filter(
    (name) => name.toUpperCase().startsWith(PREFIX) && !known.includes(name),
  );
  return strange.flatMap((name) => {
    const meant = missing.find((setting) => isMisspelt(name.toUpperCase(), setting));
    return meant === undefined ? [] : [`${name}: is no setting; ${meant} is one, and is not set`];
  });
}

function isMisspelt(name: string, setting: string): boolean {
  if (SET_BY_OTHERS.has(name)) return false;
  if (!setting.startsWith(PREFIX)) return name === `${PREFIX}${setting}`;
  const isShort = setting.startsWith(`${name}_`);
  return isShort || inSingular(name) === inSingular(setting) || isNear(name, setting);
}

function isNear(name: string, setting: string): boolean {
  return editDistance(name, setting) <= WRONG_LETTERS_MAX;
}

/** Each word of a name without the ending of its plural. */
function inSingular(name: string): string {
  return name.replaceAll(/IES(?=_|$)/g, 'Y').replaceAll(/S(?=_|$)/g, '');
}

const SECRET_NAMES = /SECRET|TOKEN|PASSWORD|KEY|HEADERS/;

/** The effective configuration with secrets masked, one `name=value` for each setting. */
export function describeConfig(config: Config): string[] {
  return Object.keys(ENVIRONMENT.shape).map((name) => {
    const value = config[name as keyof Config];
    if (value === undefined) return `${name}=`;
    if (value && SECRET_NAMES.test(name) && typeof value === 'string') return `${name}=••••••`;
    return `${name}=${String(value).replace(/(:\/\/[^:@/]*):[^@/]*@/, '$1:••••••@')}`;
  });
}

/**
 * Outside production the secret is made once and kept beside the embedded data. It appears there
 * whole or not at all: of two processes that start at once, neither may read half of the other's.
 */
function localSecret(dataDir: string): string {
  const file = join(dataDir, 'secret');
  if (!existsSync(file)) {
    makeFolder(dataDir);
    const fresh = `${file}.${process.pid}`;
    writeFileSync(fresh, randomBytes(32).toString('hex'), { mode: 0o600 });
    try {
      linkSync(fresh, file);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    } finally {
      rmSync(fresh, { force: true });
    }
  }
  return readFileSync(file, 'utf8').trim();
}
