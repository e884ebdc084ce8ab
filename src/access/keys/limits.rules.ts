import type { KeyLimits } from '../../generated/prisma/client.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import { type GivenValues, statedValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { nearestNames } from '../../kernel/near-names.js';
import { isoTime } from '../../kernel/time.js';
import { addressRange, rangeText } from '../../platform/network/address-ranges.js';
import { CLASSES_OF_DATA } from '../policies/tables.js';
import { KEY_BUDGETS, KEY_RATES, type LIMITS } from './tables.js';
import { KEY_BOUNDS } from './vocabulary.js';

/** What a key is limited by, with nothing left out. Amounts in micro-rubles. */
export type StatedLimits = ValuesOf<typeof LIMITS>;

/** The columns of the limits. */
type Columns = Pick<
  KeyLimits,
  | 'allowedModels'
  | 'allowedAddresses'
  | 'rpm'
  | 'tpm'
  | 'dailyMicro'
  | 'monthlyMicro'
  | 'totalMicro'
  | 'dataClassMin'
>;

/** Names that a request may carry in `model`. */
export interface CallableNames {
  readonly models: ReadonlySet<string>;
  /** Those of the models that are served in Russia: suggested before others as near. */
  readonly inRussia: ReadonlySet<string>;
  /** Names by which the gateway chooses. */
  readonly automatic: ReadonlySet<string>;
  /** Aliases of the organization that are in force. */
  readonly aliases: ReadonlySet<string>;
}

/** The limits that stand in a row; none of them where there is no row. */
export function limitsOfRow(row: Columns | null): StatedLimits {
  const { allowedModels = [], allowedAddresses = [] } = row ?? {};
  const { rpm = null, tpm = null } = row ?? {};
  const { dailyMicro = null, monthlyMicro = null, totalMicro = null } = row ?? {};
  const { dataClassMin = null } = row ?? {};
  return {
    allowedModels: allowedModels.length > 0 ? allowedModels : null,
    budgets: { dailyMicro, monthlyMicro, totalMicro },
    limits: { rpm, tpm },
    allowedAddresses: allowedAddresses.length > 0 ? allowedAddresses : null,
    dataClassMin: dataClassMin === null ? null : CLASSES_OF_DATA.parse(dataClassMin),
  };
}

/** The columns of limits whose ranges are told as networks. */
export function columnsOf(stated: StatedLimits): Columns {
  const { allowedModels, allowedAddresses, budgets, limits, dataClassMin } = stated;
  return {
    allowedModels: [...(allowedModels ?? [])],
    allowedAddresses: (allowedAddresses ?? []).map((each) => {
      const range = addressRange(each.trim());
      return range ? rangeText(range) : each;
    }),
    ...budgets,
    ...limits,
    dataClassMin,
  };
}

/** Limits with what an input states of them: null lifts, and what is left out stays. */
export function changedLimits(before: StatedLimits, given: GivenValues): StatedLimits {
  const { allowedModels, allowedAddresses, dataClassMin } = given;
  const part = (name: 'budgets' | 'limits', fields: Parameters<typeof statedValues>[0]) => {
    if (given[name] === undefined) return before[name];
    const lifted = Object.fromEntries(Object.keys(fields).map((field) => [field, null]));
    if (given[name] === null) return lifted;
    return { ...before[name], ...statedValues(fields, given[name] as GivenValues) };
  };
  return {
    allowedModels: stated(allowedModels, before.allowedModels),
    allowedAddresses: stated(allowedAddresses, before.allowedAddresses),
    dataClassMin: stated(dataClassMin, before.dataClassMin),
    budgets: part('budgets', KEY_BUDGETS.fields) as StatedLimits['budgets'],
    limits: part('limits', KEY_RATES.fields) as StatedLimits['limits'],
  };
}

function stated<T>(given: unknown, before: T): T {
  return given === undefined ? before : (given as T);
}

/** Whether anything is limited. */
export function limitsAnything(stated: StatedLimits): boolean {
  const { allowedModels, allowedAddresses, budgets, limits, dataClassMin } = stated;
  const parts = [allowedModels, allowedAddresses, dataClassMin, ...Object.values(budgets)];
  return [...parts, ...Object.values(limits)].some((each) => each !== null);
}

/** Every fault of limits that no bound of a field shows. */
export function limitFaults(stated: StatedLimits, known: CallableNames): Fault[] {
  return [...modelFaults(stated.allowedModels, known), ...addressFaults(stated.allowedAddresses)];
}

function modelFaults(models: readonly string[] | null, known: CallableNames): Fault[] {
  if (models === null || models.length > KEY_BOUNDS.modelsMax) return [];
  const path = 'input.allowedModels';
  if (models.every((each) => known.automatic.has(each))) {
    const [automatic] = models;
    const what =
      automatic === undefined
        ? 'must name at least one model'
        : `must name at least one model beside ${automatic}, which chooses among them`;
    return [fault(path, 'out_of_range', what)];
  }
  return models.flatMap((model, index) => {
    const at = `${path}.${index}`;
    if (models.indexOf(model) < index) return [fault(at, 'invalid', `lists ${shown(model)} again`)];
    return [known.models, known.aliases, known.automatic].some((names) => names.has(model))
      ? []
      : [fault(at, 'unknown_value', unknownModel(model, known))];
  });
}

function unknownModel(
  model: string,
  { models, inRussia, aliases, automatic }: CallableNames,
): string {
  const known = [...aliases, ...models, ...automatic];
  const near = nearestNames(model, known, (name) => inRussia.has(name));
  const meant = near.length > 0 ? `did you mean ${near.join(' or ')}?` : 'see GET /v1/models';
  return `names ${shown(model)}, which no model is called; ${meant}`;
}

function addressFaults(addresses: readonly string[] | null): Fault[] {
  if (addresses === null || addresses.length > KEY_BOUNDS.addressesMax) return [];
  const path = 'input.allowedAddresses';
  if (addresses.length === 0) {
    return [fault(path, 'out_of_range', 'must name at least one address or range')];
  }
  const ranges = addresses.map((each) => addressRange(each.trim()));
  const networks = ranges.map((range) => range && rangeText(range));
  return ranges.flatMap((range, index): Fault[] => {
    const at = `${path}.${index}`;
    const network = networks[index] ?? '';
    if (!range) {
      const what = 'must be an address or a CIDR range, such as 203.0.113.0/24 or 2001:db8::/32';
      return [fault(at, 'invalid', what)];
    }
    if (range[0].toString() !== network.split('/', 1)[0]) {
      return [fault(at, 'invalid', `has bits beyond its prefix; did you mean ${network}?`)];
    }
    return networks.indexOf(network) < index
      ? [fault(at, 'invalid', `lists ${network} again`)]
      : [];
  });
}

const SHOWN_MAX = 64;

function shown(name: string): string {
  return name.slice(0, SHOWN_MAX);
}

const DAY_MS = 86_400_000;

/** Every fault of the end of a key; what a key has made ends no later than that key. */
export function expiryFaults(
  path: string,
  expiresAt: Date | null,
  now: Date,
  makerEndsAt: Date | null,
): Fault[] {
  if (makerEndsAt && (!expiresAt || expiresAt > makerEndsAt)) {
    const end = isoTime(makerEndsAt);
    return [fault(path, 'out_of_range', `must be ${end} or earlier, when its maker ends`)];
  }
  if (!expiresAt) return [];
  const latest = new Date(now.getTime() + KEY_BOUNDS.expiryDaysMax * DAY_MS);
  if (expiresAt > now && expiresAt <= latest) return [];
  const what = `must lie in the future, at most ${KEY_BOUNDS.expiryDaysMax} days from now`;
  return [fault(path, 'out_of_range', what)];
}
