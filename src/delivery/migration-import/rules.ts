import { aliasNameFaults } from '../../routing/aliases/alias.rules.js';
import { ALIAS_LENGTH_MAX } from '../../routing/aliases/fields.js';
import {
  BOUNDS,
  CAPABILITIES,
  SOURCE_PROVIDERS,
  type SourceProvider,
  type UsedCapability,
} from '../migration/vocabulary.js';
import {
  type AllFound,
  baseUrlAt,
  capabilitiesAt,
  type Found,
  type ImportSource,
  isBearer,
  keyAt,
  modelAt,
  type ProviderScore,
  rankProviders,
  votesAt,
} from './findings.js';
import { isKnownModel, isKnownPhrase, shownName, shownUrl } from './harmless.js';
import { isSecretPlace, Mask } from './mask.js';
import { migrated } from './migrated.js';
import { linesOf, type Observation, type Reading } from './observation.js';
import { PROVIDER_SIGNS } from './providers.js';
import { seen, UNSERVED } from './signals.js';
import { type CallableModel, purposeOf, suggestModel } from './suggest.js';
import type { ImportReport, ShownFault, ShownFinding, Suggestion } from './tables.js';
import {
  FAULTS_MAX,
  FINDINGS_MAX,
  type FindingType,
  type KnownKind,
  LINE_LENGTH_MAX,
  OBSERVATIONS_MAX,
  REDACTED,
  VALUE_LENGTH_MAX,
} from './vocabulary.js';

/** Judges what was read. Every text of the result is shown as far as it is proved harmless. */
export function reportOf(source: ImportSource): ImportReport {
  const { kind, content, reading, callable } = source;
  const mask = new Mask(content, source.syntax, reading);
  const found = findAll(source);
  const used = capabilitiesOf(found);
  const suggestions = valuesOf(found.models).map((name) => suggestModel(name, used, callable));
  const { ranking, baseUrls } = found;
  const first = ranking[0];
  const ownAddress = baseUrls.find(({ place }) => place === first?.best.place) ?? baseUrls[0];
  const models = distinct(found.models.flatMap((each) => shownValue(each) ?? []));
  const all = [...found.all].sort((one, other) => one.place.from - other.place.from);
  return {
    kind,
    detectedProvider: first?.code ?? null,
    otherProviders: ranking.slice(1).map(({ code }) => code),
    detectedBaseUrl: ownAddress ? shownValue(ownAddress) : null,
    detectedModel: models[0] ?? null,
    detectedModels: models,
    suggestedCapabilities: used,
    suggestedGatewayModels: shownSuggestions(suggestions),
    proposedAliases: proposedAliases(suggestions, callable),
    apiKeyPresent: found.keys.length > 0,
    apiKeyNames: distinct(valuesOf(found.keys).map(shownName)),
    findings: shownFindings(all, content, mask),
    warnings: warningsOf(source, found),
    parseFaults: shownFaults(reading, content),
    migrated: cautionOf(kind, first?.code)
      ? null
      : (migrated({ ...source, ...found, suggestions }, mask) ?? null),
  };
}

function findAll({ reading, kind }: ImportSource): AllFound {
  const places = reading.observations.map(seen);
  const baseUrls = places.flatMap((place) => baseUrlAt(place) ?? []);
  const models = places.flatMap((place) => modelAt(place) ?? []);
  const keys = places.flatMap((place) => keyAt(place) ?? []);
  const byPlace = new Map(baseUrls.map((found) => [found.place, found]));
  const votes = places.flatMap((place) => votesAt(place, byPlace.get(place)));
  const ranking = withOwnHost(rankProviders(votes), baseUrls, kind);
  const stated = places.flatMap(capabilitiesAt);
  const capabilities = [...stated, ...impliedChat(stated, models, keys)];
  const providers = ranking.map(
    ({ code, best }): Found => ({
      type: 'provider',
      value: code,
      says: PROVIDER_SAYS[best.basis],
      place: best.place,
    }),
  );
  const all = [...providers, ...baseUrls, ...models, ...keys, ...capabilities];
  return { places, ranking, baseUrls, models, keys, capabilities, all };
}

const PROVIDER_SAYS = {
  host: 'calls a host of the provider',
  module: 'uses a library or node of the provider',
  name: 'is named after the provider',
  model: 'names a model of the provider',
} as const;

/** An address that no provider serves at is a server of the customer's own, or another gateway. */
function withOwnHost(
  ranking: readonly ProviderScore[],
  baseUrls: readonly Found[],
  kind: KnownKind,
): ProviderScore[] {
  const address = baseUrls[0];
  const isKnown = ranking[0]?.best.basis === 'host';
  if (!address || isKnown || kind === 'litellm') return [...ranking];
  const own = ranking.find(({ code }) => code === 'vllm' || code === 'litellm');
  const code = own?.code ?? 'other';
  const best = { code, basis: 'host', place: address.place } as const;
  const rest = ranking.filter((score) => score.code !== code);
  return [{ code, score: Number.MAX_SAFE_INTEGER, places: 1, best }, ...rest];
}

/** A chat model, or a key with nothing else said, is there to chat. */
function impliedChat(
  stated: readonly Found[],
  models: readonly Found[],
  keys: readonly Found[],
): Found[] {
  if (stated.some(({ value }) => value === 'chat')) return [];
  const model = models.find(({ value = '' }) => purposeOf(value) === 'chat');
  const base = { type: 'capability', value: 'chat' } as const;
  if (model) return [{ ...base, says: 'names a chat model', place: model.place }];
  const [key] = keys;
  if (!key || stated.length > 0 || models.length > 0) return [];
  return [{ ...base, says: 'gives a key, and nothing says for what else', place: key.place }];
}

function capabilitiesOf({ capabilities }: AllFound): UsedCapability[] {
  const used = new Set(capabilities.map(({ value }) => value));
  return CAPABILITIES.codes.filter((code) => used.has(code));
}

function valuesOf(found: readonly Found[]): string[] {
  return distinct(found.flatMap(({ value }) => value ?? []));
}

function distinct(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** What is found as it may be shown; codes of providers and capabilities are our own. */
function shownValue({ type, value }: Found): string | null {
  if (value === undefined) return null;
  return SHOWN[type](value).slice(0, VALUE_LENGTH_MAX);
}

const SHOWN: Readonly<Record<FindingType, (value: string) => string>> = {
  provider: (code) => code,
  capability: (code) => code,
  base_url: (url) => shownUrl(url) ?? REDACTED,
  model: shownModel,
  api_key: shownName,
};

function shownModel(model: string): string {
  if (isKnownModel(model) || isKnownPhrase(model)) return model;
  return shownUrl(model) ?? REDACTED;
}

/** Models of the customer's own cannot be told apart, so they are suggested for once. */
function shownSuggestions(suggestions: readonly Suggestion[]): Suggestion[] {
  const shown = suggestions.map((each) => ({ ...each, model: shownModel(each.model) }));
  const key = ({ model, gatewayModel }: Suggestion) => `${model} ${gatewayModel}`;
  return [...new Map(shown.map((each) => [key(each), each])).values()];
}

/** An alias for each model that is known by its name and not served here under it. */
function proposedAliases(
  suggestions: readonly Suggestion[],
  callable: readonly CallableModel[],
): ImportReport['proposedAliases'] {
  return suggestions
    .flatMap(({ model: alias, gatewayModel: target, reason }) => {
      const isServed = callable.some(({ id }) => id === alias);
      const isShown = shownModel(alias) === alias && alias.length <= ALIAS_LENGTH_MAX;
      const isNeeded =
        target !== null && !isServed && isShown && aliasNameFaults('', alias).length === 0;
      return isNeeded ? [{ alias, target, reason }] : [];
    })
    .slice(0, BOUNDS.aliasesMax);
}

/** True for a key or a password that the text itself holds. */
function isLiteralSecret(place: Observation): boolean {
  const { kind, shape } = place;
  if (shape !== 'text' || (kind !== 'pair' && kind !== 'text')) return false;
  return isBearer(place) || isSecretPlace(place);
}

function shownFindings(all: readonly Found[], content: string, mask: Mask): ShownFinding[] {
  const counter = linesOf(content);
  const lines = mask.part(0, content.length).split('\n');
  const shown = new Map<string, ShownFinding>();
  for (const found of all) {
    const { type, says, place } = found;
    const { line } = counter.linePos(place.from);
    const text = (lines[line - 1] ?? '').trim().slice(0, LINE_LENGTH_MAX);
    const safe = shownValue(found);
    const key = `${line} ${type} ${safe}`;
    if (!shown.has(key)) shown.set(key, { type, value: safe, says, line, text });
  }
  return [...shown.values()].slice(0, FINDINGS_MAX);
}

function shownFaults({ faults }: Reading, content: string): ShownFault[] {
  const counter = linesOf(content);
  return faults.slice(0, FAULTS_MAX).map(({ at, message }) => {
    const { line, col: column } = counter.linePos(at);
    return { line, column, message };
  });
}

/** A LiteLLM proxy speaks to each provider itself, so its clients need not change. */
function cautionOf(kind: KnownKind, provider: SourceProvider | undefined): string | undefined {
  if (kind === 'litellm') return undefined;
  return PROVIDER_SIGNS.find(({ code }) => code === provider)?.caution;
}

function warningsOf({ reading, kind }: ImportSource, found: AllFound): string[] {
  const { ranking, baseUrls, keys, all, places } = found;
  const warnings: string[] = [];
  const provider = ranking[0];
  if (!provider) warnings.push('Nothing names a provider; state source_provider yourself.');
  const address = provider && SOURCE_PROVIDERS.find(provider.code)?.address;
  if (provider && baseUrls.length === 0 && address) {
    warnings.push(`No base address is stated; the default of the client is ${address}.`);
  }
  const caution = cautionOf(kind, provider?.code);
  if (caution) warnings.push(caution);
  if (kind !== 'env' && keys.some(({ place }) => isLiteralSecret(place))) {
    warnings.push('A key stands in the text itself: move it to a variable and revoke it.');
  }
  const unserved = UNSERVED.filter(({ shows }) => places.some(shows));
  warnings.push(...unserved.map(({ what }) => what));
  if (all.length > FINDINGS_MAX)
    warnings.push(`Only the first ${FINDINGS_MAX} findings are shown.`);
  if (reading.observations.length >= OBSERVATIONS_MAX) {
    warnings.push(`Only the first ${OBSERVATIONS_MAX} places of the text were looked at.`);
  }
  if (reading.faults.length > FAULTS_MAX) {
    warnings.push(`Only the first ${FAULTS_MAX} places that could not be read are shown.`);
  }
  return warnings;
}
