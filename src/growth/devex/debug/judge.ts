import { type EffectivePolicy, mergePolicies } from '../../../access/policies/rules.js';
import type { AuthorizedCtx, Ctx } from '../../../graph/ctx.js';
import { aliased } from '../../../inference/alias.js';
import { readChatRequest } from '../../../inference/chat/request.js';
import { chosenRoute } from '../../../inference/chosen-route.js';
import { readEmbeddingsRequest } from '../../../inference/embeddings/request.js';
import { leastEstimate } from '../../../inference/lower-limit.js';
import type { InferenceRequest } from '../../../inference/request.js';
import { requireAllowed } from '../../../inference/stages/admit.js';
import { firewallIn, type Inspected } from '../../../inference/stages/firewall-in.js';
import { prompt } from '../../../inference/stages/prompt.js';
import {
  type ChosenRoute,
  namedRoute,
  questionOf,
  refuse,
  requireWindow,
} from '../../../inference/stages/route.js';
import { narrowed, requireScope } from '../../../inference/stages/token.js';
import { requireApproved, workspaceNamed } from '../../../inference/stages/workspace.js';
import { sharedNowMs } from '../../../kernel/clock.js';
import { fail, GatewayError } from '../../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../../kernel/json.js';
import { moscowDay } from '../../../kernel/time.js';
import { asksForPrompt } from '../../../prompts/use/wish.rules.js';
import { isAutomatic, policyKeyOf } from '../../../routing/automatic.js';
import { ROUTE_POLICIES } from '../../../routing/economics/records.js';
import { judgeNamed } from '../../../routing/named.js';
import { requireFunds, requireRates } from './moment.js';
import type { DebugQuestion } from './tables.js';
import { WARNING_OF_REFUSAL } from './vocabulary.js';

/** What a request comes to: how it was read, and the refusal of the first stage that refuses it. */
export interface Judged {
  readonly request: InferenceRequest | undefined;
  readonly refusal: GatewayError | undefined;
}

/**
 * Judges requests by the very stages that a real one passes before funds are held: wire, prompt,
 * alias, scope, workspace, allow-list, window, rates, firewall and route; for a named model also by
 * what a hold would say of funds and budgets now. Nothing is counted, held, sent or kept. Without a
 * credential there is no organization, so nobody's policies, funds, aliases or prompts are asked.
 */
export class Judge {
  constructor(
    private readonly ctx: Ctx,
    private readonly caller: AuthorizedCtx | undefined,
    private readonly question: Pick<DebugQuestion, 'operation' | 'promptTokens'>,
  ) {}

  /** True where a part of the body is known to an organization that did not show who it is. */
  needsCredential(body: JsonObject): boolean {
    if (this.caller || this.question.operation !== 'chat') return false;
    return asksForPrompt(body) || policyKeyOf(String(body.model)) !== undefined;
  }

  /** Reads a body as its operation does. @throws invalid_request, and what prompts refuse with */
  async read(body: JsonObject): Promise<InferenceRequest> {
    const request = await this.readWhole(body);
    const { promptTokens } = this.question;
    if (promptTokens === null) return request;
    return { ...request, size: { ...request.size, windowTokens: promptTokens } };
  }

  /** What a body comes to. @throws what no stage has refused with: a fault of ours */
  async judge(body: JsonObject): Promise<Judged> {
    let request: InferenceRequest | undefined;
    try {
      request = await this.read(body);
      request = this.caller ? await aliased(this.caller, request) : request;
      await this.requireRoute(request);
      return { request, refusal: undefined };
    } catch (thrown) {
      if (isRefusal(thrown)) return { request, refusal: thrown };
      throw thrown;
    }
  }

  private async readWhole(body: JsonObject): Promise<InferenceRequest> {
    if (this.question.operation === 'embeddings') return readEmbeddingsRequest(body, bytesOf(body));
    if (!asksForPrompt(body)) return readChatRequest(body, bytesOf(body));
    if (!this.caller) {
      const plain = withoutPrompt(body);
      return readChatRequest(plain, bytesOf(plain));
    }
    const filled = await prompt(this.caller, body);
    return readChatRequest(filled.body, filled.bodyBytes, filled.prompt);
  }

  private async requireRoute(request: InferenceRequest): Promise<void> {
    const { caller } = this;
    if (caller) requireScope(caller, request);
    const used = caller && (await workspaceNamed(caller, request));
    if (used) requireApproved(used, request);
    const policy = await this.policy(used);
    requireWindow(this.ctx, request);
    requireAllowed(policy, request.model);
    if (caller) await requireRates(caller, { request, policy, used });
    const by = { keys: caller?.who.bounds, workspace: used?.workspace };
    const asker = { owner: caller?.who.tenantId ?? '' };
    const inspected = await firewallIn(request, policy, by, asker);
    if (used) requireApproved(used, request, inspected);
    if (isAutomatic(request.model)) {
      await this.requirePolicy(request.model);
      const ids = this.requireSomeModel(request, policy, inspected);
      if (caller) {
        // Whichever the router would choose, it costs no less than the cheapest of them.
        const routes = ids.map((model) =>
          namedRoute(this.ctx, { ...request, model }, { policy }, inspected),
        );
        await requireFunds(caller, { request, policy, used }, cheapest(request, routes));
      }
      return;
    }
    if (!caller) {
      namedRoute(this.ctx, request, { policy }, inspected);
      return;
    }
    const route = await chosenRoute(caller, request, { ...UNTAKEN, policy }, inspected);
    await requireFunds(caller, { request, policy, used }, route);
  }

  private async policy(used: Used | undefined): Promise<EffectivePolicy> {
    const { caller } = this;
    if (!caller) return mergePolicies([]);
    const { tenantId, projectId } = caller.who;
    const whole = await this.ctx.services.policies.forProject(tenantId, projectId);
    return narrowed(whole, caller, used);
  }

  /** A route policy that is named must be there. */
  private async requirePolicy(model: string): Promise<void> {
    const key = policyKeyOf(model);
    if (key === undefined || !this.caller) return;
    if (await ROUTE_POLICIES.latest(this.caller, key)) return;
    const hint = 'Publish the route policy with POST /v1/gw/routing/policies.';
    fail('model_not_found', { values: { model, hint }, param: 'model' });
  }

  /** The models that the rules of the request leave, of which the router needs one at least. */
  private requireSomeModel(
    request: InferenceRequest,
    policy: EffectivePolicy,
    inspected: Inspected,
  ): readonly string[] {
    const question = questionOf(request, { policy }, inspected, moscowDay(sharedNowMs()));
    const judged = [...this.ctx.services.registry.models.values()].map((model) =>
      judgeNamed(model, question),
    );
    const left = judged.filter(({ rejection }) => rejection === undefined);
    if (left.length > 0) return left.map(({ model }) => model.id);
    const refused = judged.flatMap(({ model, rejection, detail }) =>
      rejection ? [{ model: model.id, rejection, detail, contextWindow: model.contextWindow }] : [],
    );
    return refuse(request, refused, { inspected, policy: policy.allowListOf, terms: undefined });
  }
}

type Used = NonNullable<Awaited<ReturnType<typeof workspaceNamed>>>;

/** A request that is judged takes nothing of what admitted ones take. */
const UNTAKEN = {
  controls: '',
  tokensTaken: 0,
  slot: undefined,
  throttle: undefined,
  longestMs: 0,
} as const;

function cheapest(request: InferenceRequest, routes: readonly ChosenRoute[]): ChosenRoute {
  const costOf = (route: ChosenRoute) => leastEstimate(request, route);
  return routes.reduce((best, route) => (costOf(route) < costOf(best) ? route : best));
}

/** A refusal of the request, and no fault of ours. */
export function isRefusal(thrown: unknown): thrown is GatewayError {
  if (!(thrown instanceof GatewayError)) return false;
  return thrown.status < 500 || WARNING_OF_REFUSAL[thrown.code] !== undefined;
}

function bytesOf(body: JsonObject): number {
  return Buffer.byteLength(JSON.stringify(body));
}

/** The body as it would be without its prompt, which nobody but its organization knows. */
function withoutPrompt({ gw_prompt: _, ...body }: JsonObject): JsonObject {
  const { prompt_key: _key, prompt_version: _version, ...metadata } = asObject(body.metadata) ?? {};
  const messages = Array.isArray(body.messages) ? body.messages : [];
  return {
    ...body,
    model: body.model ?? 'gw:auto',
    messages: messages.length > 0 ? messages : [{ role: 'user', content: 'the prompt' }],
    metadata,
  };
}
