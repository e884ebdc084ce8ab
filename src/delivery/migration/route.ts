import type { EffectivePolicy } from '../../access/policies/rules.js';
import type { Deployment, Model } from '../../catalog/providers/model.js';
import { priceOn } from '../../catalog/providers/price.js';
import type { Capability } from '../../catalog/providers/vocabulary.js';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNowMs } from '../../kernel/clock.js';
import { unreadDataClass } from '../../kernel/firewall/contents.js';
import { higherDataClass } from '../../kernel/firewall/data-class.rules.js';
import type { DataClass } from '../../kernel/firewall/vocabulary.js';
import type { MicroRub } from '../../kernel/money.js';
import { moscowDay } from '../../kernel/time.js';
import { decideNow, isAutomatic, policyKeyOf } from '../../routing/automatic.js';
import { openRoutes } from '../../routing/data-routes.rules.js';
import { DEFAULT_USE } from '../../routing/memory/terms.js';
import { judgeNamed } from '../../routing/named.js';
import { blendedPrice } from './compare.rules.js';
import { CAPABILITIES, COMPARISON, type UsedCapability } from './vocabulary.js';

/** The model whose price stands for the route. */
export interface PricedRoute {
  /** Null where no permitted model can take the traffic. */
  readonly model: string | null;
  readonly chosenBy: 'evaluation' | 'route_choice';
  readonly simulated: boolean;
  readonly inputShare: number;
  /** For a million tokens of the mix, in micro-rubles; undefined without a price. */
  readonly priceMicro: MicroRub | undefined;
  /** The deployment whose rows the price is of, with all of them; undefined without a model. */
  readonly deployment: Pick<Deployment, 'key' | 'prices'> | undefined;
  /** The day whose price row holds, `YYYY-MM-DD` in Moscow. */
  readonly day: string;
}

/** What a route is asked for. */
export interface RouteWish {
  readonly projectId: string;
  /** A model or an alias. */
  readonly target: string;
  readonly used: readonly UsedCapability[];
  readonly inputShare: number | null;
  /** The model that answered an evaluation most often; undefined without one. */
  readonly evaluated: string | undefined;
}

/** Callable models that the policy of a project allows for data without personal parts. */
export async function permittedModels(ctx: AuthorizedCtx, projectId: string): Promise<Model[]> {
  const policy = await ctx.services.policies.forProject(ctx.who.tenantId, projectId);
  const open = openRoutes(policy, 'C1');
  return [...ctx.services.registry.models.values()].filter(
    (model) =>
      (policy.allowedModels?.has(model.id) ?? true) &&
      model.deployments.some(({ jurisdiction }) => open.includes(jurisdiction)),
  );
}

/** A request of this size is asked for; with a mix of prices the size changes nothing. */
const TOKENS_ASKED = 1_000;

/**
 * The route of a migration with its price: the model that really answered the evaluation, else
 * the one that routing chooses for the capabilities in use under the policy of the project.
 */
export async function priceRoute(ctx: AuthorizedCtx, wish: RouteWish): Promise<PricedRoute> {
  const day = moscowDay(sharedNowMs());
  const { registry } = ctx.services;
  const answered = wish.evaluated === undefined ? undefined : registry.models.get(wish.evaluated);
  const model = answered ?? (await chosenModel(ctx, wish, day));
  const embeds = model?.operation === 'embeddings';
  const inputShare = wish.inputShare ?? (embeds ? 1 : COMPARISON.inputShareDefault);
  const price = model && priceOn(model.prices, day);
  return {
    model: model?.id ?? null,
    chosenBy: answered ? 'evaluation' : 'route_choice',
    simulated: model?.simulated ?? false,
    inputShare,
    priceMicro: price && blendedPrice(price, inputShare),
    deployment: model?.deployments[0],
    day,
  };
}

async function chosenModel(ctx: AuthorizedCtx, wish: RouteWish, day: string) {
  const { registry, situations, policies } = ctx.services;
  const policy = await policies.forProject(ctx.who.tenantId, wish.projectId);
  const share = wish.inputShare ?? COMPARISON.inputShareDefault;
  const chats = wish.used.filter((code) => code !== 'embeddings');
  const operation = wish.used.length > 0 && chats.length === 0 ? 'embeddings' : 'chat';
  const needs = flagsOf(operation === 'chat' ? chats : wish.used);
  const input = Math.min(TOKENS_ASKED, Math.ceil(TOKENS_ASKED * share));
  const dataClass = classOf(wish.used, policy);
  const jurisdictionsAllowed = openRoutes(policy, dataClass);
  if (!isAutomatic(wish.target)) {
    const model = registry.models.get(wish.target);
    const judged =
      model &&
      judgeNamed(model, {
        operation,
        needs,
        tokenBounds: () => ({ inputTokensMax: input, outputTokensMax: 1 }),
        windowTokensMin: () => 0,
        allowedModels: policy.allowedModels,
        jurisdictionsAllowed,
        day,
      });
    return judged?.rejection === undefined ? model : undefined;
  }
  const decided = await decideNow(situations, {
    tenantId: ctx.who.tenantId,
    useCase: DEFAULT_USE,
    policyKey: policyKeyOf(wish.target),
    day,
    seed: ctx.requestId,
    features: {
      operation,
      needs,
      textTokens: input,
      windowTokens: null,
      images: 0,
      imagesLow: 0,
      inputs: 1,
      turns: 1,
      outputTokensMax: TOKENS_ASKED - input,
      choices: 1,
      dataClass,
      jurisdictionsAllowed,
      modelsAllowed: policy.allowedModels ? [...policy.allowedModels] : null,
      modelsBarred: null,
      explores: null,
    },
  });
  return registry.models.get(decided?.decision.chosen?.model.model ?? '');
}

/** Data without personal parts, and the images of which nobody knows what they show. */
function classOf(
  used: readonly UsedCapability[],
  { unread, dataClassMin }: EffectivePolicy,
): DataClass {
  const needs = flagsOf(used);
  const least = higherDataClass('C1', dataClassMin ?? 'C0');
  const kind = needs.includes('vision') ? 'image' : needs.includes('audio') ? 'audio' : undefined;
  if (kind === undefined || unread[kind] === 'allow') return least;
  return higherDataClass(least, unreadDataClass(unread[kind]));
}

function flagsOf(used: readonly UsedCapability[]): Capability[] {
  return CAPABILITIES.rows.filter(({ code }) => used.includes(code)).map(({ flag }) => flag);
}
