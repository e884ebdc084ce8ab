import type { AuthorizedCtx } from '../../graph/ctx.js';
import { sharedNow } from '../../kernel/clock.js';
import { fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { evaluatedAnswers, liveAnswers } from './answers.js';
import { requireEvaluation } from './evaluations.js';
import { knownModelFaults } from './models.rules.js';
import { MODEL_SCORECARDS, SCORECARD_FIELDS, type Scorecard } from './records.js';
import {
  declaredScorecard,
  type Grounds,
  type MeasuredAnswers,
  measuredScorecard,
  scorecardFaults,
} from './scorecard.rules.js';
import { SCORECARD_INPUT, type ScorecardInput } from './tables.js';
import { ANSWERS_MIN, MEASURED_DAYS } from './vocabulary.js';

/**
 * Publishes the next version of a scorecard: as it is stated, or as the gateway measures it now. It
 * holds from the next decision on, on every node.
 * @throws invalid_request with every fault, not_found, cannot_certify where too little is recorded
 */
export async function publishScorecard(ctx: AuthorizedCtx, given: GivenValues) {
  const input = inputValues(SCORECARD_INPUT.fields, given);
  failOnFaults([
    ...inputFaults(SCORECARD_INPUT.fields, input, 'input'),
    ...scorecardFaults(input),
    ...modelFaults(ctx, input),
  ]);
  const scorecard = await scorecardOf(ctx, input);
  const name = { action: 'modelScorecardPublish', subject: 'ModelScorecard' };
  return change(ctx, name, async (tx) => {
    const result = await MODEL_SCORECARDS.publish(ctx, scorecard, { tx });
    const after = sealedContent(SCORECARD_FIELDS, result.body);
    const told = () => ctx.services.routing.forget(ctx.who.tenantId);
    return { result, id: result.id, after, told };
  });
}

/** A model that nobody knows, or a simulated one that would have to prove something. */
function modelFaults({ services: { registry } }: AuthorizedCtx, { model, source }: ScorecardInput) {
  const isSimulated = registry.models.get(model)?.simulated ?? false;
  const isStated = source === 'DECLARED';
  const what = `names ${model}, whose answers are simulated: they prove no quality`;
  return [
    ...knownModelFaults(registry, 'input.model', model),
    ...fits('input.model', isStated || !isSimulated, what),
  ];
}

async function scorecardOf(ctx: AuthorizedCtx, input: ScorecardInput): Promise<Scorecard> {
  const { source, model, evaluationReceiptId } = input;
  if (source === 'OUTCOMES') {
    const measured = await liveAnswers(ctx, input);
    const evidence = `usage of ${MEASURED_DAYS} days`;
    return certified(input, measured, ANSWERS_MIN.OUTCOMES, { evidence, measuredTo: sharedNow() });
  }
  if (evaluationReceiptId === null) return declaredScorecard(input);
  const evaluation = await requireEvaluation(ctx, evaluationReceiptId);
  const measured = await evaluatedAnswers(ctx, evaluation, model);
  const { id: evidence, createdAt: measuredTo } = evaluation.receipt;
  return certified(input, measured, ANSWERS_MIN.EVALUATION, { evidence, measuredTo });
}

function certified(
  input: ScorecardInput,
  measured: MeasuredAnswers,
  needed: number,
  grounds: Grounds,
): Scorecard {
  const { answers } = measured;
  if (answers >= needed) return measuredScorecard(input, measured, grounds);
  return fail('cannot_certify', {
    values: { model: input.model, answers, needed },
    param: 'input.source',
    data: {
      verdict: 'cannot_certify',
      needed: [`answers of ${input.model}: ${needed - answers} more`],
    },
  });
}
