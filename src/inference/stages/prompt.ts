import type { AuthorizedCtx } from '../../graph/ctx.js';
import { refusal } from '../../graph/node.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { asObject, type JsonObject } from '../../kernel/json.js';
import type { FoundPrompt, PromptInUse } from '../../prompts/prompt-cache.js';
import { renderMessages } from '../../prompts/template.js';
import { filledBody, isPromoted, valuesOf, variantFor } from '../../prompts/use/apply.rules.js';
import { asksForPrompt, type PromptWish, readPromptWish } from '../../prompts/use/wish.rules.js';
import { aliasFor } from '../../routing/aliases/alias.rules.js';
import { bodyBytesOf } from '../non-streaming.js';
import type { UsedPrompt } from '../request.js';

/** A chat request as the stages after this one read it. */
export interface GivenBody {
  readonly body: unknown;
  /** Bytes of the body as JSON. */
  readonly bodyBytes: number;
  /** Undefined where the request asks for no prompt. */
  readonly prompt: UsedPrompt | undefined;
}

/**
 * Fills a request by the prompt that it asks for; any other one passes untouched. What follows
 * sees the filled request alone, so that firewall, route, hold and charge are those of its text.
 * @throws invalid_request, prompt_not_found, prompt_version_not_found, prompt_not_in_production,
 * prompt_version_deprecated, permission_denied for a version that is not promoted,
 * prompt_variables_missing, prompt_render_failed
 */
export function prompt(ctx: AuthorizedCtx, body: unknown): GivenBody | Promise<GivenBody> {
  const given = asObject(body);
  if (given && asksForPrompt(given)) return filled(ctx, given);
  return { body, bodyBytes: bodyBytesOf(ctx, body), prompt: undefined };
}

async function filled(ctx: AuthorizedCtx, body: JsonObject): Promise<GivenBody> {
  const { wish, faults } = readPromptWish(body);
  failOnFaults(faults);
  const { controls, prompts, registry, modelAliases } = ctx.services;
  const { tenantId } = ctx.who;
  const under = await controls.of(tenantId);
  const found = await prompts.find(tenantId, wish.promptKey, wish.version);
  const aliases = await modelAliases.forTenant(tenantId);
  const version = usable(found, wish);
  requireTrial(ctx, version);
  const { values, faults: valueFaults } = valuesOf(version, wish.variables);
  failOnFaults(valueFaults);
  const messages = renderMessages(version.template, values);
  const variant = variantOf(ctx, version, body.model);
  const isCallable = (model: string) => registry.models.has(model);
  const takesSchema = (named: string) => {
    const model = aliasFor(aliases, named, isCallable)?.target ?? named;
    return registry.models.get(model)?.capabilities.includes('json_schema') ?? false;
  };
  const whole = filledBody(body, { prompt: version, messages, variant, takesSchema });
  return {
    body: whole,
    bodyBytes: Buffer.byteLength(JSON.stringify(whole)),
    prompt: {
      version,
      variant: variant?.name ?? null,
      messages: messages.length,
      controls: under,
    },
  };
}

function variantOf(ctx: AuthorizedCtx, { modelVariants }: PromptInUse, model: unknown) {
  const named = modelVariants.find(({ name }) => name === ctx.promptVariant);
  return named ?? variantFor(modelVariants, model, ctx.requestId);
}

/**
 * What a request may use: the version in production, or the version that it names unless that one
 * was retired. One that a later version superseded still serves whoever names it, so that a
 * promotion breaks no client that names its version.
 */
function usable(found: FoundPrompt, { promptKey, version, param }: PromptWish): PromptInUse {
  const key = promptKey;
  if (found.kind === 'unknown') return fail('prompt_not_found', { values: { key }, param });
  if (found.kind === 'no_version') {
    if (version === undefined) fail('prompt_not_in_production', { values: { key }, param });
    return fail('prompt_version_not_found', { values: { key, version }, param });
  }
  const { status, superseded, version: number } = found.prompt;
  if (status === 'deprecated' && !superseded) {
    fail('prompt_version_deprecated', { values: { key, version: number }, param });
  }
  return found.prompt;
}

/**
 * What no gate has let into production needs a right of its own. An evaluation asks in the name of
 * a caller whose right to evaluate was judged when it was started.
 */
function requireTrial(ctx: AuthorizedCtx, version: PromptInUse): void {
  if (isPromoted(version) || ctx.origin === 'prompt_evaluation') return;
  if (!ctx.who.permissions.has('prompts.try')) throw refusal(ctx, 'prompts.try');
}
