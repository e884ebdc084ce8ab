import { answeredIn } from '../../../graph/answered-in.js';
import type { AuthorizedCtx, Ctx } from '../../../graph/ctx.js';
import { authorized } from '../../../graph/database.js';
import { CHAT_REQUEST } from '../../../inference/wire/chat-request.js';
import { EMBEDDINGS_REQUEST } from '../../../inference/wire/embeddings-request.js';
import { docUrl } from '../../../kernel/errors/doc-url.js';
import { failOnFaults } from '../../../kernel/errors/fail.js';
import { told } from '../../../kernel/errors/told.js';
import { type GivenValues, inputValues } from '../../../kernel/fields/faults.js';
import { nearAliases } from '../../../routing/aliases/alias.rules.js';
import { Judge } from './judge.js';
import { givenRequest, questionFaults, statedFailure } from './question.rules.js';
import {
  explanationsOf,
  failureWarnings,
  metadataWarnings,
  normalizedOf,
  reasonOf,
  unreadWarnings,
  warning,
  warningsOf,
} from './report.rules.js';
import { type Found, type Surroundings, smallestPatch } from './search.js';
import { DEBUG_INPUT, type DebugQuestion, type DebugResult, type Warning } from './tables.js';
import type { DebugVerdict } from './vocabulary.js';

const SCHEMAS = { chat: CHAT_REQUEST.schema, embeddings: EMBEDDINGS_REQUEST.schema } as const;

/**
 * Says why a request failed and finds the smallest change that makes it pass, by the stages that a
 * real request passes before funds are held. Nothing is executed, held, counted or kept.
 * @throws invalid_request with every fault of the question
 */
export async function debugRequest(ctx: Ctx, given: GivenValues): Promise<DebugResult> {
  const question = inputValues(DEBUG_INPUT.fields, given);
  failOnFaults(questionFaults(question));
  const failure = statedFailure(question);
  const language = answeredIn(ctx.transport);
  const docUrlOf = (code: string) => docUrl(ctx.transport.baseUrl, code);
  const words = { language, docUrlOf };
  const asked = givenRequest(question);
  if (!asked) {
    return {
      verdict: 'not_judged',
      reason: reasonOf('not_judged', 0, ''),
      normalized: null,
      warnings: failureWarnings(failure),
      explanations: explanationsOf(failure, [], words),
      patch: [],
      valuesChanged: 0,
    };
  }
  const around = await surroundings(ctx, question, String(asked.body.model));
  const { body, textsLeftOut } = asked;
  const found = await smallestPatch(body, around);
  const near = [...around.nearAliases, ...around.registry.near(String(body.model))].slice(0, 3);
  const { judged } = found;
  // No change of the request helps whom the gateway does not let in.
  const barred = ctx.whoFailure;
  const refusals = barred ? [barred, ...found.refusals] : found.refusals;
  const verdict = verdictOf(found, barred);
  const refused = judged.refusal ?? barred;
  const last = refused ? told(refused, language).message : '';
  const isPatched = verdict === 'patched';
  return {
    verdict,
    reason: reasonOf(verdict, found.patch.length, last),
    normalized: judged.request ? normalizedOf(judged.request, found.body, around.schema) : null,
    warnings: [
      ...(barred ? [warning('credential_refused', '', told(barred, language).message)] : []),
      ...each(found.refusals.flatMap((refusal) => warningsOf(refusal, near, language))),
      ...unreadWarnings(body, around.schema),
      ...metadataWarnings(body),
      ...(textsLeftOut ? [TEXTS_LEFT_OUT] : []),
      ...(around.judge.needsCredential(body) ? [NEEDS_CREDENTIAL] : []),
      ...failureWarnings(failure),
    ],
    explanations: explanationsOf(failure, refusals, words),
    patch: isPatched ? found.patch : [],
    valuesChanged: isPatched ? found.size : 0,
  };
}

/** Each warning once: what a change does not mend is refused again after it. */
function each(warnings: readonly Warning[]): Warning[] {
  const keyOf = ({ code, path, message }: Warning) => `${code}\n${path}\n${message}`;
  return [...new Map(warnings.map((one) => [keyOf(one), one])).values()];
}

function verdictOf({ judged, patch }: Found, barred: unknown): DebugVerdict {
  if (judged.refusal) return 'no_patch';
  if (patch.length > 0) return 'patched';
  return barred === undefined ? 'passes' : 'no_patch';
}

async function surroundings(
  ctx: Ctx,
  question: DebugQuestion,
  model: string,
): Promise<Surroundings> {
  const { operation } = question;
  const { registry } = ctx.services;
  const caller = ctx.who ? authorized(ctx) : undefined;
  return {
    judge: new Judge(ctx, caller, question),
    registry,
    schema: SCHEMAS[operation],
    operation,
    nearAliases: caller ? await aliasesNear(caller, model) : [],
  };
}

async function aliasesNear({ services, who }: AuthorizedCtx, model: string): Promise<string[]> {
  return nearAliases(await services.modelAliases.forTenant(who.tenantId), model);
}

const TEXTS_LEFT_OUT = warning(
  'texts_left_out',
  'messages',
  'The texts were not given: one short text stood for them, and only the rest was judged.',
);

const NEEDS_CREDENTIAL = warning(
  'needs_credential',
  '',
  'It names a prompt or a route policy, which its organization alone knows: ask again with a ' +
    'credential of it to have that judged too.',
);
