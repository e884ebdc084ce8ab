import { LRUCache } from 'lru-cache';
import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fault, fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import type { ValuesOf } from '../../kernel/fields/field.js';
import { isUuid } from '../../kernel/ids.js';
import { explainRoute } from '../decision/explain.rules.js';
import type { Situation } from '../decision/tables.js';
import { knownModelFaults } from '../economics/models.rules.js';
import {
  DECISIONS_MAX,
  PastSituations,
  type PastWindow,
  type RecordedDecision,
  recordedDecision,
  recordedDecisions,
  SITUATIONS_HELD_MAX,
  Turns,
} from './past.js';
import { supposed } from './supposition.js';
import { type EXPLANATION, type REPLAY, REPLAY_INPUT, WHAT_IF_INPUT } from './tables.js';
import { NAMED_MAX, WINDOW_DAYS } from './vocabulary.js';
import { askAgain, decideAgain, suppose } from './what-if.rules.js';
import { WhatIfTally } from './what-if-tally.js';

const DAY_MS = 86_400_000;

/**
 * Why a model answered a request: the decision is made again from what was recorded.
 * @throws not_found for a request that is not the caller's, or that named its model itself
 */
export async function explainRequest(
  ctx: AuthorizedCtx,
  requestId: string,
): Promise<ValuesOf<typeof EXPLANATION.fields>> {
  const found = isUuid(requestId) ? await recordedDecision(ctx, requestId) : undefined;
  if (!found) {
    return fail('not_found', {
      values: { subject: 'routing decision', id: requestId },
      param: 'requestId',
    });
  }
  const { record, answeredBy, costMicro, at } = found;
  const situations = new PastSituations(ctx);
  const situation = await situations.of(record.situation);
  const inputs = situation && {
    features: record.features,
    situation,
    incumbent: record.incumbent,
    seed: requestId,
  };
  const decision = inputs ? explainRoute(inputs) : null;
  return {
    requestId,
    decidedAt: at,
    answeredBy,
    costMicro,
    situationSha256: record.situation,
    situationIntact: situation !== undefined,
    identical: decision !== null && decision.model === record.model,
    useCase: record.useCase,
    features: record.features,
    incumbent: record.incumbent,
    terms: situation?.terms ?? null,
    killSwitch: situation?.killSwitch ?? null,
    models: situation?.models ?? [],
    decision,
  };
}

/** Makes the recorded decisions of a window again. */
export async function replayDecisions(
  ctx: AuthorizedCtx,
  given: GivenValues,
): Promise<ValuesOf<typeof REPLAY.fields>> {
  const asked = inputValues(REPLAY_INPUT.fields, given);
  failOnFaults(inputFaults(REPLAY_INPUT.fields, asked, 'input'));
  const situations = new PastSituations(ctx);
  const differing: ValuesOf<typeof REPLAY.fields>['differing'][number][] = [];
  const turns = new Turns();
  let [decisions, identical] = [0, 0];
  for await (const page of recordedDecisions(ctx, windowOf(asked))) {
    for (const one of page) {
      decisions += 1;
      const model = modelAgain(one, await situations.of(one.record.situation));
      if (model === one.record.model) identical += 1;
      else if (differing.length < NAMED_MAX) differing.push(differenceOf(one, model));
      await turns.next();
    }
  }
  const isIdentical = identical === decisions;
  return {
    verdict: decisions === 0 ? 'cannot_certify' : isIdentical ? 'IDENTICAL' : 'DIFFERENT',
    decisions,
    identical,
    truncated: decisions >= DECISIONS_MAX,
    differing,
    damagedSituations: situations.broken,
  };
}

/** The model that comes out; undefined where the situation is damaged. */
function modelAgain(one: RecordedDecision, situation: Situation | undefined) {
  return situation && (decideAgain(one, situation).chosen?.model.model ?? null);
}

function differenceOf({ requestId, record }: RecordedDecision, model: string | null | undefined) {
  return {
    requestId,
    situationSha256: record.situation,
    recordedModel: record.model,
    recomputedModel: model ?? null,
    reason:
      model === undefined
        ? 'What the decision was made from is missing, or has another hash than its own.'
        : 'The decision comes out otherwise than it was recorded.',
  };
}

/**
 * Asks past decisions again under a supposition.
 * @throws invalid_request with every fault, not_found for a contract version that is none
 */
export async function supposePast(ctx: AuthorizedCtx, given: GivenValues) {
  const asked = inputValues(WHAT_IF_INPUT.fields, given);
  failOnFaults(inputFaults(WHAT_IF_INPUT.fields, asked, 'input'));
  failOnFaults(
    fits(
      'input.newTerms',
      asked.newTerms === null || asked.newContractKey === null,
      'cannot stand beside newContractKey: one of them is supposed',
    ),
  );
  failOnFaults(
    asked.prices.flatMap(({ model }, index) =>
      knownModelFaults(ctx.services.registry, `input.prices.${index}.model`, model),
    ),
  );
  if (asked.newContractVersion !== null && asked.newContractKey === null) {
    failOnFaults([fault('input.newContractKey', 'missing', 'is needed for a version')]);
  }
  const supposition = await supposed(ctx, asked);
  const window = windowOf(asked);
  const situations = new PastSituations(ctx);
  const tally = new WhatIfTally(supposition);
  const changedBy = new LRUCache<string, Situation>({ max: SITUATIONS_HELD_MAX });
  const turns = new Turns();
  let read = 0;
  for await (const page of recordedDecisions(ctx, window)) {
    read += page.length;
    for (const one of page) {
      const { situation: hash, useCase } = one.record;
      const situation = await situations.of(hash);
      if (one.isSimulated || !one.isAnswered || !situation) continue;
      const key = JSON.stringify([hash, useCase]);
      const changed = changedBy.get(key) ?? suppose(situation, useCase, supposition);
      changedBy.set(key, changed);
      const past = { ...one, situation };
      tally.add(past, askAgain(past, changed, supposition));
      await turns.next();
    }
  }
  const result = await tally.result(ctx, window);
  return { ...result, truncated: read >= DECISIONS_MAX, damagedSituations: situations.broken };
}

/** @throws invalid_request for a window that ends before it begins */
function windowOf(asked: {
  readonly from: Date | null;
  readonly to: Date | null;
  readonly contractKey: string | null;
  readonly useCase: string | null;
}): PastWindow {
  const to = asked.to ?? sharedNow();
  const from = asked.from ?? new Date(to.getTime() - WINDOW_DAYS * DAY_MS);
  failOnFaults(fits('input.from', from < to, 'lies before the end of the window'));
  return { from, to, contractKey: asked.contractKey, useCase: asked.useCase };
}
