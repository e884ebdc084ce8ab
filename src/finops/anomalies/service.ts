import type { AuthorizedCtx } from '../../graph/ctx.js';
import { type Fault, fail, failOnFaults } from '../../kernel/errors/fail.js';
import { fits, present } from '../../kernel/errors/faults.js';
import { type GivenValues, inputFaults, inputValues } from '../../kernel/fields/faults.js';
import { shownName } from '../../kernel/fields/names.js';
import { sealedContent } from '../../kernel/fields/sealed.js';
import { change } from '../../records/change.js';
import { requireOwn } from '../../records/own.js';
import { referenceFaults } from '../budgets/references.js';
import { BUDGET_SCOPES, EACH_REF, EVERY_REF } from '../budgets/vocabulary.js';
import { judge, thresholdFaults, typeRow } from './judge.rules.js';
import { ANOMALY_RULES } from './records.js';
import { EVALUATION_INPUT, METRICS, RULE_FIELDS, RULE_INPUT } from './tables.js';

/**
 * Publishes the next version of an anomaly rule; live requests are watched by it from then on.
 * @throws invalid_request with every fault
 */
export async function publishRule(ctx: AuthorizedCtx, given: GivenValues) {
  const stated = inputValues(RULE_INPUT.fields, given);
  const { type, scope, scopeRef, threshold } = stated;
  failOnFaults([
    ...inputFaults(RULE_INPUT.fields, stated, 'input'),
    ...scopeFaults(scope),
    ...(await referenceFaults(ctx, scope, scopeRef)),
    ...(threshold === null ? [] : thresholdFaults('input.threshold', type, threshold)),
  ]);
  const body = {
    ...stated,
    ruleKey: stated.ruleKey ?? `${type}:${scope}:${KEYED[scopeRef] ?? scopeRef}`.slice(0, 128),
    together: scopeRef === EVERY_REF ? true : null,
    threshold: threshold ?? typeRow(type).threshold,
  };
  failOnFaults(
    fits('input.ruleKey', !body.ruleKey.startsWith('gw:'), 'begins like a standing rule'),
  );
  return change(ctx, { action: 'anomalyRulePublish', subject: 'AnomalyRule' }, async (tx) => {
    const result = await ANOMALY_RULES.publish(ctx, body, { tx });
    return { result, id: result.id, after: sealedContent(RULE_FIELDS, result.body) };
  });
}

/**
 * Rules that follow each are named as they were when `*` said so: the next version replaces them.
 */
const KEYED: Readonly<Record<string, string>> = { [EACH_REF]: EVERY_REF, [EVERY_REF]: 'all' };

function scopeFaults(scope: string): Fault[] {
  const isFollowed = BUDGET_SCOPES.rows.find(({ code }) => code === scope)?.set === true;
  return fits('input.scope', isFollowed, 'cannot be followed by a rule');
}

const MICRO = 1_000_000;

/**
 * What a rule in its latest version says of metrics that the caller states: by the judgement that
 * live requests are under. Nothing is paused.
 * @throws invalid_request with every fault, not_found
 */
export async function evaluateRule(ctx: AuthorizedCtx, id: string, given: GivenValues) {
  const stated = inputValues(EVALUATION_INPUT.fields, given);
  failOnFaults(inputFaults(EVALUATION_INPUT.fields, stated, 'input'));
  const metrics = stated.metrics ?? inputValues(METRICS.fields, {});
  const row = await requireOwn(ctx, 'ContractVersion', id, { subject: 'anomaly rule' });
  const isRule = row.kind === ANOMALY_RULES.kind;
  const rule = isRule ? await ANOMALY_RULES.latest(ctx, row.contractKey) : undefined;
  if (!rule) {
    return fail('not_found', { values: { subject: 'anomaly rule', id }, param: 'id' });
  }
  const { ruleKey, type, threshold, action, active } = rule.body;
  const { observed: metric, expected: baseline } = typeRow(type);
  const why = `is what a rule of the type ${type} compares`;
  failOnFaults(
    [metric, ...(baseline === null ? [] : [baseline])].flatMap((name) =>
      present(`input.metrics.${shownName(name)}`, metrics[name], why),
    ),
  );
  const judged = judge(type, threshold, {
    observed: figure(metrics[metric]),
    expected: baseline === null ? 0 : figure(metrics[baseline]),
    method: 'declared',
  });
  const { observed, expected, limit, severity, method, reason } = judged;
  const triggered = judged.triggered && active;
  return {
    ruleKey,
    type,
    triggered,
    action: triggered ? action : null,
    severity: triggered ? severity : null,
    metric: shownName(metric),
    observed,
    expected,
    limit,
    method,
    reason: active ? reason : 'The rule is switched off.',
  };
}

/** Money is shown in rubles. */
function figure(value: number | bigint | null): number {
  return typeof value === 'bigint' ? Number(value) / MICRO : (value ?? 0);
}
