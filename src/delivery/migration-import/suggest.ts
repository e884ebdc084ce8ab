import type { Capability, Operation } from '../../catalog/providers/vocabulary.js';
import { AUTO_MODEL } from '../../catalog/providers/vocabulary.js';
import { CAPABILITIES, type UsedCapability } from '../migration/vocabulary.js';
import type { Suggestion } from './tables.js';

/** A model that this server can call. */
export interface CallableModel {
  readonly id: string;
  readonly operation: Operation;
  readonly capabilities: readonly Capability[];
}

/** Capabilities that say something about the model of a chat. */
const OF_CHAT: readonly UsedCapability[] = [
  ...(['chat', 'streaming', 'json', 'json_schema', 'tool_calls', 'vision'] as const),
  'long_context',
];

/** What a model is for, by its name; chat where the name says nothing else. */
export function purposeOf(model: string): 'chat' | 'embeddings' | 'audio' | 'images' {
  const name = model.toLowerCase();
  if (/embed|(?:^|\/)(?:bge|e5)-|multilingual-e5|^emb:/.test(name)) return 'embeddings';
  if (/whisper|(?:^|\/)tts-/.test(name)) return 'audio';
  return /dall-e|gpt-image|stable-diffusion|flux/.test(name) ? 'images' : 'chat';
}

/** What to name here instead of a model, by what the text uses and what can be called. */
export function suggestModel(
  model: string,
  used: readonly UsedCapability[],
  callable: readonly CallableModel[],
): Suggestion {
  const same = callable.find(({ id }) => lastPart(id) === lastPart(model));
  if (same) return { model, gatewayModel: same.id, reason: 'The same model is served here.' };
  const purpose = purposeOf(model);
  if (purpose === 'embeddings') {
    const first = callable.find(({ operation }) => operation === 'embeddings');
    const reason = first
      ? 'The first model of embeddings that is served; vectors of two models do not mix, so ' +
        'stored ones must be made anew.'
      : 'No model of embeddings can be called.';
    return { model, gatewayModel: first?.id ?? null, reason };
  }
  if (purpose !== 'chat') {
    return { model, gatewayModel: null, reason: `No model for ${purpose} is served.` };
  }
  return suggestChat(model, used, callable);
}

function suggestChat(
  model: string,
  used: readonly UsedCapability[],
  callable: readonly CallableModel[],
): Suggestion {
  const chats = callable.filter(({ operation }) => operation === 'chat');
  const needed = CAPABILITIES.rows.filter(
    ({ code }) => used.includes(code) && OF_CHAT.includes(code),
  );
  const lacking = needed.filter(
    ({ flag }) => !chats.some(({ capabilities }) => capabilities.includes(flag)),
  );
  const fitting = chats.some(({ capabilities }) =>
    needed.every(({ flag }) => capabilities.includes(flag)),
  );
  if (fitting) {
    const reason = 'The gateway chooses a model that can do what each request uses.';
    return { model, gatewayModel: AUTO_MODEL, reason };
  }
  const names = (lacking.length > 0 ? lacking : needed).map(({ code }) => code).join(', ');
  const reason = names ? `No callable model can do: ${names}.` : 'No chat model can be called.';
  return { model, gatewayModel: null, reason };
}

function lastPart(id: string): string {
  return id.toLowerCase().split('/').at(-1) ?? id;
}
