import type { Fault } from '../../kernel/errors/fail.js';
import { fault, fits, present } from '../../kernel/errors/faults.js';
import { shownName } from '../../kernel/fields/names.js';
import { nearestNames } from '../../kernel/near-names.js';
import type { KillSwitch } from '../decision/tables.js';
import type { RoutingMode } from '../decision/vocabulary.js';
import type { StatedTerms } from './tables.js';

/** What terms can name: models by their ids, with the providers that serve each. */
export interface Offer {
  readonly models: ReadonlyMap<string, readonly string[]>;
  readonly providers: readonly string[];
  /** The models that are served in Russia. */
  readonly inRussia: ReadonlySet<string>;
}

type LimitName = 'qualityFloorBasisPoints' | 'costMicroMax' | 'latencyMsMax' | 'fallbackModel';

/** Limits that a mode does not read: a limit that holds nothing is refused, not forgotten. */
const UNREAD: Partial<Record<RoutingMode, readonly LimitName[]>> = {
  FIXED: ['qualityFloorBasisPoints', 'costMicroMax', 'latencyMsMax', 'fallbackModel'],
  BATCH: ['latencyMsMax'],
};

/** What single fields cannot tell of terms, with every fault. */
export function termFaults(terms: StatedTerms, offer: Offer, path: string): Fault[] {
  return [
    ...modeFaults(terms, path),
    ...moneyFaults(terms, path),
    ...nameFaults(terms, offer, path),
  ];
}

function modeFaults(terms: StatedTerms, path: string): Fault[] {
  const { mode, pinnedModel, explorationBasisPoints, whenNonePasses, fallbackModel } = terms;
  const isFixed = mode === 'FIXED';
  const explores = explorationBasisPoints > 0 && (isFixed || mode === 'ASSURED');
  const { whenUnmeasured } = terms;
  const unread = (UNREAD[mode] ?? []).filter((name) => terms[name] !== null);
  return [
    ...(isFixed ? present(`${path}.pinnedModel`, pinnedModel, 'is needed in the mode FIXED') : []),
    ...fits(`${path}.pinnedModel`, isFixed || pinnedModel === null, 'is for the mode FIXED alone'),
    ...fits(`${path}.explorationBasisPoints`, !explores, `must be 0 in the mode ${mode}`),
    ...unread.map((name) =>
      fault(`${path}.${shownName(name)}`, 'invalid', `holds nothing in the mode ${mode}`),
    ),
    ...fits(
      `${path}.fallbackModel`,
      whenNonePasses !== 'REFUSE' || fallbackModel === null,
      'never answers where when_none_passes is REFUSE',
    ),
    ...fits(
      `${path}.whenUnmeasured`,
      whenUnmeasured === null || mode === 'ASSURED',
      'is for the mode ASSURED alone',
    ),
    ...fits(
      `${path}.whenUnmeasured`,
      whenUnmeasured !== 'NEXT_BEST' || whenNonePasses !== 'REFUSE',
      'must not be NEXT_BEST where when_none_passes is REFUSE',
    ),
  ];
}

/** A margin without a revenue holds for the requests whose revenue is stated with them. */
function moneyFaults({ revenueMicro, marginBasisPointsMin }: StatedTerms, path: string): Fault[] {
  const isRead = revenueMicro === null || marginBasisPointsMin !== null;
  return fits(`${path}.revenueRub`, isRead, 'holds nothing without margin_basis_points_min');
}

function nameFaults(terms: StatedTerms, offer: Offer, path: string): Fault[] {
  const { modelsAllowed, providersAllowed } = terms;
  const named = (['pinnedModel', 'fallbackModel'] as const).flatMap((name) => {
    const model = terms[name];
    if (model === null) return [];
    const unknown = modelFaults(`${path}.${name}`, model, offer);
    if (unknown.length > 0) return unknown;
    const isListed = modelsAllowed.length === 0 || modelsAllowed.includes(model);
    const servedBy = offer.models.get(model) ?? [];
    const isServed =
      providersAllowed.length === 0 || servedBy.some((id) => providersAllowed.includes(id));
    return [
      ...fits(`${path}.${name}`, isListed, 'is not on models_allowed'),
      ...fits(`${path}.${name}`, isServed, 'is served by none of providers_allowed'),
    ];
  });
  return [
    ...modelsAllowed.flatMap((id, at) => modelFaults(`${path}.modelsAllowed.${at}`, id, offer)),
    ...providersAllowed.flatMap((id, at) => {
      if (offer.providers.includes(id)) return [];
      const near = nearestNames(id, offer.providers);
      const where = `${path}.providersAllowed.${at}`;
      return [unknownFault(where, near, 'is no provider that can be called')];
    }),
    ...named,
  ];
}

/** A model that nobody can call, with what may have been meant. */
export function modelFaults(path: string, model: string, { models, inRussia }: Offer): Fault[] {
  if (models.has(model)) return [];
  const near = nearestNames(model, models.keys(), (id) => inRussia.has(id));
  return [unknownFault(path, near, 'is no model that can be called')];
}

function unknownFault(path: string, near: readonly string[], what: string): Fault {
  const meant = near.length === 0 ? '' : `; did you mean ${near.join(' or ')}?`;
  return fault(path, 'unknown_value', what + meant);
}

/** A pin needs a model, and nothing else has one. */
export function switchFaults({ state, pinnedModel }: KillSwitch, offer: Offer, path: string) {
  const isPinned = state === 'PINNED';
  if (isPinned && pinnedModel !== null)
    return modelFaults(`${path}.pinnedModel`, pinnedModel, offer);
  return [
    ...(isPinned ? present(`${path}.pinnedModel`, null, 'is needed in the state PINNED') : []),
    ...fits(
      `${path}.pinnedModel`,
      isPinned || pinnedModel === null,
      'is for the state PINNED alone',
    ),
  ];
}
