import { maskingAll } from '../../kernel/firewall/modes.js';
import type { FirewallModes } from '../../kernel/firewall/vocabulary.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { RequestMetadata } from '../request.js';
import { inspectRequest } from './inspect.js';

/**
 * The metadata of a request as its rows may keep it: what the firewall finds in a label is replaced
 * by a placeholder, also where the policy only detects, since usage rows are never changed and
 * reports group by labels.
 */
export function maskedLabels(metadata: RequestMetadata, modes: FirewallModes): RequestMetadata {
  const masking = maskingAll(modes);
  const { feature, environment, clientId, rest } = metadata;
  const given = { ...rest, feature, environment, client_id: clientId };
  // Names say what the numbers and texts beside them are; then each text is read by itself.
  const together = inspectRequest({ metadata: given }, masking).body.metadata;
  const masked = (text: string) => inspectRequest({ input: text }, masking).body.input;
  const label = (text: string | undefined) => (text === undefined ? undefined : masked(text));
  const { feature: name, environment: stage, client_id: client, ...others } = together;
  return {
    feature: label(name),
    environment: label(stage),
    clientId: label(client),
    rest: maskedMembers(others, masked),
  };
}

/** Names of members are labels too. The wire bounds how deep they are nested. */
function maskedMembers(members: JsonObject, masked: (text: string) => string): JsonObject {
  const each = (value: unknown): unknown => {
    if (typeof value === 'string') return masked(value);
    if (Array.isArray(value)) return value.map(each);
    const object = asObject(value);
    return object ? maskedMembers(object, masked) : value;
  };
  return Object.fromEntries(
    Object.entries(members).map(([name, value]) => [masked(name), each(value)]),
  );
}
