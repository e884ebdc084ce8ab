import { canonicalJson, type Sealable } from '../../kernel/canonical.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { count, fault, fits } from '../../kernel/errors/faults.js';
import { hostOf, isAmong, isPublicHost } from '../../platform/network/public-address.js';
import type { CatalogueModel, CatalogueProvider } from '../providers/catalogue-entry.js';
import type { PriceRow } from '../providers/price.js';
import { readProvider } from '../providers/providers-file.js';
import { FLEET_BOUNDS } from './vocabulary.js';

/** Names of variables that hold keys of providers which operators declare. */
const KEY_NAME = /^PROVIDER_[A-Z0-9_]+$/;

const PATH = 'definition';

/** What a declaration is judged against. */
export interface DeclarationWorld {
  readonly entries: readonly CatalogueProvider[];
  readonly hostsAllowed: ReadonlySet<string>;
  /** The day in Moscow, `YYYY-MM-DD`. */
  readonly today: string;
}

/**
 * What is wrong with a provider that an operator declares, beyond what the whole catalogue says.
 * Who may declare one is not who owns the server: a declaration reads no variable that was not set
 * for it, reaches no address inside that the server's owner has not allowed, and changes no price
 * that customers were charged by.
 */
export function declarationFaults(definition: unknown, world: DeclarationWorld): Fault[] {
  const tooLong = sizeFaults(definition);
  if (tooLong.length > 0) return tooLong;
  const entry = readProvider(definition);
  if (isFaulty(entry)) {
    return entry.map(({ path, message }) =>
      fault(path === '' ? PATH : `${PATH}.${path}`, 'invalid', message),
    );
  }
  const before = world.entries.find(({ id }) => id === entry.id);
  return [
    ...fits(`${PATH}.id`, before?.protocol !== 'in_process', 'is that of the built-in sandbox'),
    ...count(`${PATH}.models`, entry.models, { max: FLEET_BOUNDS.modelsMax }, 'models'),
    ...addressFaults(entry, world.hostsAllowed),
    ...keyFaults(entry, before),
    ...entry.models.flatMap((model, index) => {
      const known = before?.models.find(({ id }) => id === model.id);
      return modelFaults(model, `${PATH}.models.${index}`, known, world.today);
    }),
  ];
}

function isFaulty<T extends object>(read: CatalogueProvider | readonly T[]): read is readonly T[] {
  return Array.isArray(read);
}

function sizeFaults(definition: unknown): Fault[] {
  try {
    const { definitionChars: max } = FLEET_BOUNDS;
    const isShort = canonicalJson(definition as Sealable).length <= max;
    return isShort ? [] : [fault(PATH, 'out_of_range', `has at most ${max} characters as JSON`)];
  } catch (thrown) {
    return [fault(PATH, 'invalid', `cannot be kept exactly: ${(thrown as Error).message}`)];
  }
}

function addressFaults(
  { baseUrl = '' }: CatalogueProvider,
  hostsAllowed: ReadonlySet<string>,
): Fault[] {
  const url = new URL(baseUrl);
  const host = hostOf(url);
  if (isAmong(host, hostsAllowed)) return [];
  const path = `${PATH}.base_url`;
  return [
    ...fits(path, url.protocol === 'https:', 'must begin with https://'),
    ...fits(path, isPublicHost(host), 'must name a host of the public internet'),
  ];
}

/** A key that was set for one address never goes to another. */
function keyFaults(
  { apiKeyEnv, baseUrl }: CatalogueProvider,
  before: CatalogueProvider | undefined,
): Fault[] {
  if (apiKeyEnv === undefined || KEY_NAME.test(apiKeyEnv)) return [];
  const isSame =
    before?.apiKeyEnv === apiKeyEnv &&
    before.baseUrlEnv === undefined &&
    originOf(before.baseUrl) === originOf(baseUrl);
  const what = 'must be the name of a variable that begins with PROVIDER_';
  return fits(`${PATH}.api_key_env`, isSame, what);
}

function originOf(address: string | undefined): string | undefined {
  return address === undefined ? undefined : new URL(address).origin;
}

function modelFaults(
  model: CatalogueModel,
  path: string,
  known: CatalogueModel | undefined,
  today: string,
): Fault[] {
  const isPlain = !/[{}]/.test(model.upstreamName);
  const kept = (known?.prices ?? []).filter(({ supersedes }) => !supersedes);
  const lost = kept.filter((row) => !model.prices.some((price) => isSamePrice(row, price)));
  const days = lost.map(({ effectiveFrom }) => effectiveFrom).join(', ');
  const added = model.prices.filter((price) => !kept.some((row) => isSamePrice(row, price)));
  const isLate = known !== undefined && added.some(({ effectiveFrom }) => effectiveFrom < today);
  return [
    ...fits(`${path}.upstream_name`, isPlain, 'must hold no { and }'),
    ...fits(`${path}.prices`, lost.length === 0, `must keep the prices of ${days} as they are`),
    ...fits(`${path}.prices`, !isLate, `may only add prices from ${today} on`),
  ];
}

function isSamePrice(one: PriceRow, other: PriceRow): boolean {
  const vectors = [one, other].map(({ microRubPerMillion }) => microRubPerMillion);
  const names = new Set(vectors.flatMap(Object.keys)) as Set<keyof PriceRow['microRubPerMillion']>;
  const [left = {}, right = {}] = vectors;
  return (
    one.effectiveFrom === other.effectiveFrom &&
    [...names].every((name) => left[name] === right[name])
  );
}
