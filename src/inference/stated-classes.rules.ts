import type { EffectivePolicy } from '../access/policies/rules.js';
import type { WorkspaceInForce } from '../access/workspaces/workspace-memory.js';
import type { KeyBounds } from '../graph/ctx.js';
import type { UnreadKind, UnreadMode } from '../kernel/firewall/contents.js';
import {
  type DataClassSource,
  highestDataClass,
  type SourcedClass,
} from '../kernel/firewall/data-class.rules.js';
import type { DataClass } from '../kernel/firewall/vocabulary.js';
import type { JsonObject } from '../kernel/json.js';
import type { InferenceRequest } from './request.js';

/** What a request is made by and under, as far as it states a class of its data. */
export interface StatedBy {
  readonly keys: readonly KeyBounds[] | undefined;
  readonly workspace: WorkspaceInForce | undefined;
}

/** Whoever states a class for the data of a request, in the order of receipts. */
export function statedClasses(
  { statedClass, prompt }: Pick<InferenceRequest, 'statedClass' | 'prompt'>,
  policy: Pick<EffectivePolicy, 'dataClassMin'>,
  { keys, workspace }: StatedBy,
): readonly SourcedClass[] {
  const stated: SourcedClass[] = [];
  const add = (source: DataClassSource, dataClass: DataClass | null | undefined) => {
    if (dataClass != null) stated.push({ source, dataClass });
  };
  add('request', statedClass);
  if (keys) add('key', highestDataClass(keys.map(({ dataClassMin }) => dataClassMin)));
  add('project_policy', policy.dataClassMin);
  add('workspace', workspace?.dataClassMin);
  add('prompt', prompt?.version.dataClassMin);
  return stated;
}

/** The classes with their sources under the names of the wire. */
export function sourcesOnWire(sources: readonly SourcedClass[]): JsonObject[] {
  return sources.map(({ source, dataClass }) => ({ source, data_class: dataClass }));
}

/** The member of a row's metadata that keeps the sources where somebody states a class. */
export const DATA_CLASS_MEMBER = 'gw_data_class';

/** What a row keeps of the sources: nothing where only the firewall says a class. */
export function keptSources(sources: readonly SourcedClass[]): JsonObject[] | undefined {
  return sources.some(({ source }) => source !== 'firewall') ? sourcesOnWire(sources) : undefined;
}

/** The class and its sources, for the words of a refusal. */
export function classInWords({
  dataClass,
  sources,
  unread,
}: {
  readonly dataClass: DataClass;
  readonly sources: readonly SourcedClass[];
  readonly unread: readonly { readonly kind: UnreadKind; readonly policy: UnreadMode }[];
}): string {
  const saying = sources.filter((each) => each.dataClass === dataClass);
  const kinds = unread.filter(({ policy }) => policy !== 'allow').map(({ kind }) => kind);
  const words = saying.map(({ source }) =>
    source === 'unread' && kinds.length > 0 ? `not read: ${kinds.join(', ')}` : source,
  );
  return words.length === 0 ? dataClass : `${dataClass} (${words.join('; ')})`;
}
