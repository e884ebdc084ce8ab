import type { SourceProvider, UsedCapability } from '../migration/vocabulary.js';
import { type Observation, type Reading, snakeOf } from './observation.js';
import {
  isModelName,
  PROVIDER_SIGNS,
  type ProviderSigns,
  providerOfHost,
  providerOfModel,
} from './providers.js';
import { isSecretName } from './secret-shapes.js';
import { type Seen, SIGNALS } from './signals.js';
import type { CallableModel } from './suggest.js';
import type { FindingType, KnownKind, Syntax } from './vocabulary.js';

/** Something found, with the place that shows it. */
export interface Found {
  readonly type: FindingType;
  /** What was found; absent for keys that stand in the text themselves. */
  readonly value: string | undefined;
  /** What the place does, in words. */
  readonly says: string;
  readonly place: Observation;
}

/** A provider that a place speaks for, and how much that weighs. */
export interface ProviderVote {
  readonly code: SourceProvider;
  readonly basis: keyof typeof WEIGHTS;
  readonly place: Observation;
}

/** A host says more than any number of libraries, since many providers speak one wire. */
const WEIGHTS = { host: 100, module: 10, name: 5, model: 3 } as const;

/** The capabilities that a place shows. */
export function capabilitiesAt(place: Seen): Found[] {
  const shown = SIGNALS.filter(({ shows }) => shows(place));
  const codes = new Map<UsedCapability, string>(
    shown.map(({ capability, says }) => [capability, says]),
  );
  return [...codes].map(([value, says]) => ({ type: 'capability', value, says, place }));
}

const ADDRESS_NAME =
  /(?:^|_)(?:base_?url|api_?base|base_?path|base_?uri|azure_endpoint|api_?url|proxy_url)$/;
const MAYBE_ADDRESS_NAME = /(?:^|_)(?:url|endpoint|host|uri|server|address|base)$/;
const OPERATION_PATH =
  /\/(?:(?:chat\/)?completions|embeddings|responses|messages|batches|(?:audio|images)\/\w+)$/;

/** The base address that a place states, without userinfo, query and operation. */
export function baseUrlAt(place: Seen): Found | undefined {
  if (place.kind === 'call' || place.kind === 'import') return undefined;
  const url = urlOf(place.text?.replace(/^=/, '').trim() ?? '');
  if (!url) return undefined;
  const path = url.pathname.replace(/\/+$/, '');
  const isKnown = providerOfHost(url.hostname) !== undefined;
  const isLikely = /\/v\d$/.test(path) || OPERATION_PATH.test(path);
  const isNamed = ADDRESS_NAME.test(place.key);
  const mayBe = isLikely && (place.kind === 'text' || MAYBE_ADDRESS_NAME.test(place.key));
  if (!isKnown && !isNamed && !mayBe) return undefined;
  const value = url.origin + path.replace(OPERATION_PATH, '');
  return { type: 'base_url', value, says: 'states the base address', place };
}

function urlOf(text: string): URL | undefined {
  if (!/^https?:\/\//i.test(text) || text.length > 2_000) return undefined;
  const url = URL.parse(text);
  return url?.hostname ? url : undefined;
}

const MODEL_KEY =
  /(?:^|_)(?:model|model_?name|model_?id|deployment_?name|azure_deployment|engine|deployment)$/;
const MODEL_TEXT = /^[\w.:/@+-]{2,160}$/;
/** Names that customers give to models themselves. */
const ALIAS_AROUND = new Set(['fallbacks', 'context_window_fallbacks', 'model_group_alias']);

/** The model that a place names. */
export function modelAt(place: Seen): Found | undefined {
  const { kind, key, around, shape } = place;
  if ((kind !== 'pair' && kind !== 'text') || shape !== 'text') return undefined;
  if (place.variable !== undefined || isAlias(key, around)) return undefined;
  const value = (place.text ?? '').replace(/^=/, '').trim();
  const isNamed = kind === 'pair' && MODEL_KEY.test(key) && MODEL_TEXT.test(value);
  const isUrl = /^https?:/i.test(value);
  if (isUrl || (!isNamed && !isModelName(value))) return undefined;
  return { type: 'model', value, says: 'names the model', place };
}

function isAlias(key: string, around: readonly string[]): boolean {
  if (around.some((name) => ALIAS_AROUND.has(name))) return true;
  return key === 'model_name' && around.includes('model_list');
}

const KEY_NAME =
  /(?:^|_)(?:api_?keys?|(?:access_?|auth_?)?token|authorization|bearer|credentials?|imtconn)$/;

/** True for the value of a header that holds a credential, whatever its name is. */
export function isBearer({ text = '', variable }: Observation): boolean {
  return variable === undefined && /^(?:bearer|api-key)\s+[^\s{$]\S{3,}$/i.test(text.trim());
}

/** The place where a key is given. Of a key in the text itself, only the place is told. */
export function keyAt(place: Seen): Found | undefined {
  const { key, around, kind, shape } = place;
  if (kind !== 'pair' || shape === 'empty' || shape === 'flag') return undefined;
  if (isBearer(place))
    return { type: 'api_key', value: 'Authorization', says: 'gives a key', place };
  const isCredential = around.at(-1) === 'credentials' && shape === 'object';
  const isProviders = isSecretName(place.name) && providerOfName(key) !== undefined;
  if (!isCredential && !isProviders && !KEY_NAME.test(key)) return undefined;
  if (shape === 'object' || shape === 'list') {
    if (!isCredential) return undefined;
  } else if (place.text === undefined && place.variable === undefined) return undefined;
  const says = place.variable ? 'reads the key from a variable' : 'gives a key';
  return { type: 'api_key', value: place.variable ?? ownName(place), says, place };
}

/** The name of a pair, or the one around it where its own says nothing. */
function ownName({ name, key, path }: Seen): string {
  return key === snakeOf(name) ? name : (path.at(-1) ?? name);
}

/** The providers that a place speaks for. */
export function votesAt(place: Seen, baseUrl: Found | undefined): ProviderVote[] {
  const module = moduleOf(place);
  const isNamed = place.kind === 'pair' && place.shape !== 'empty';
  const names = isNamed ? [place.key, snakeOf(place.variable ?? '')] : [];
  const model = modelAt(place)?.value;
  const signs: readonly (readonly [ProviderVote['basis'], ProviderSigns | undefined])[] = [
    ['host', baseUrl?.value ? providerOfHost(new URL(baseUrl.value).hostname) : undefined],
    ['module', module ? PROVIDER_SIGNS.find(({ modules }) => modules.test(module)) : undefined],
    ...names.map((name) => ['name', providerOfName(name)] as const),
    ['model', model ? providerOfModel(model) : undefined],
  ];
  return signs.flatMap(([basis, found]) => (found ? [{ code: found.code, basis, place }] : []));
}

function providerOfName(key: string): ProviderSigns | undefined {
  return PROVIDER_SIGNS.find(({ names }) => names.test(key));
}

function moduleOf(place: Seen): string | undefined {
  if (place.kind === 'import') return snakeOf(place.name);
  if (place.kind === 'call') return snakeOf(place.name.split('.').at(-1) ?? '');
  return place.key === 'image' ? snakeOf(place.text ?? '') : place.nodeType;
}

/** A provider with the strongest place that speaks for it. */
export interface ProviderScore {
  readonly code: SourceProvider;
  readonly score: number;
  readonly places: number;
  readonly best: ProviderVote;
}

/** What is imported, read, with what this server offers. */
export interface ImportSource {
  readonly kind: KnownKind;
  readonly syntax: Syntax;
  readonly content: string;
  readonly reading: Reading;
  readonly callable: readonly CallableModel[];
  /** The base address of SDK clients here, with /v1. */
  readonly gatewayBaseUrl: string;
}

/** Everything that was found. */
export interface AllFound {
  readonly places: readonly Seen[];
  readonly ranking: readonly ProviderScore[];
  readonly baseUrls: readonly Found[];
  readonly models: readonly Found[];
  readonly keys: readonly Found[];
  readonly capabilities: readonly Found[];
  readonly all: readonly Found[];
}

/** Providers by their evidence, strongest first: the best place of each basis counts once. */
export function rankProviders(votes: readonly ProviderVote[]): ProviderScore[] {
  const codes = PROVIDER_SIGNS.map(({ code }) => code);
  const scores = codes.flatMap((code): ProviderScore[] => {
    const own = votes.filter((vote) => vote.code === code);
    const bases = new Set(own.map(({ basis }) => basis));
    const score = [...bases].reduce((sum, basis) => sum + WEIGHTS[basis], 0);
    const best = own.reduce<ProviderVote | undefined>(
      (top, vote) => (!top || WEIGHTS[vote.basis] > WEIGHTS[top.basis] ? vote : top),
      undefined,
    );
    return best ? [{ code, score, places: own.length, best }] : [];
  });
  return scores.sort((one, other) => other.score - one.score || other.places - one.places);
}
