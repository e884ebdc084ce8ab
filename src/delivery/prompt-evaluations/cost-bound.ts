import type { Model } from '../../catalog/providers/model.js';
import { priceOn, upperEstimate } from '../../catalog/providers/price.js';
import type { Services } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { moscowDay } from '../../kernel/time.js';
import { aliasFor } from '../../routing/aliases/alias.rules.js';
import type { AliasesInForce } from '../../routing/aliases/alias-cache.js';

/** A request, as far as its cost is bounded by it. */
export interface SizedRequest {
  readonly model: string;
  /** Bytes of everything that is sent: no text has more tokens than bytes. */
  readonly bytes: number;
  /** Null leaves it to the model. */
  readonly maxTokens: number | null;
}

/** Tokens that a chat format may add to what is sent. */
const FORMAT_TOKENS = 1_000;

/**
 * The most that a request can cost, in micro-rubles, with whichever model may answer it: the one
 * that it names, those that stand in for it, and all where the gateway chooses. Undefined where
 * nothing that may answer has a price today.
 */
export function costMicroMax(
  { registry }: Pick<Services, 'registry'>,
  aliases: AliasesInForce,
  { model, bytes, maxTokens }: SizedRequest,
): bigint | undefined {
  const day = moscowDay(sharedNowMs());
  const most = answering(registry, aliases, model).flatMap((each) => {
    const price = priceOn(each.prices, day);
    const tokens = Math.min(bytes + FORMAT_TOKENS, each.contextWindow);
    const answer = Math.min(maxTokens ?? each.maxOutputTokens, each.maxOutputTokens);
    return (price && upperEstimate(tokens, answer, price)) ?? [];
  });
  return most.reduce<bigint | undefined>(
    (max, each) => (max === undefined || each > max ? each : max),
    undefined,
  );
}

function answering(
  registry: Services['registry'],
  aliases: AliasesInForce,
  name: string,
): readonly Model[] {
  const target = aliasFor(aliases, name, (model) => registry.models.has(model))?.target ?? name;
  const named = registry.models.get(target);
  const chats = () => [...registry.models.values()].filter((each) => each.operation === 'chat');
  if (!named) return chats();
  const others = named.fallbacks.flatMap((each) => registry.models.get(each) ?? []);
  return [named, ...others];
}
