import type { Evidence, EvidenceTarget } from '../../evaluations/evidence-tables.js';
import { comparisonOf } from '../../evaluations/paired.rules.js';
import { ended, listed } from './check.js';
import type { GateCheck } from './tables.js';
import { EVIDENCE_CHECKS, type GateCheckCode, type GateStatus } from './vocabulary.js';

/**
 * The checks of recorded evidence, in the published order. They follow from the evidence alone, so
 * that a receipt which holds it can be judged again by anybody.
 */
export function checkEvidence(evidence: Evidence): GateCheck[] {
  return [
    checkSchemaProved(evidence),
    checkCasesProved(evidence),
    checkCasesPassed(evidence),
    checkRegression(evidence),
  ];
}

const HOW = 'POST /v1/gw/prompts/{id}/evaluations would lift this.';
const HOW_CASES = 'POST /v1/gw/prompts/{id}/case-sets would lift this.';

/** Whether a model is proved: each case has an answer that counts, and a judgement of it. */
function isProved(
  { outcomes, simulated, simulatedOnly }: EvidenceTarget,
  caseCount: number,
): boolean {
  const isWhole = outcomes !== null && outcomes.length === caseCount && !outcomes.includes('u');
  return isWhole && (!simulated || simulatedOnly);
}

function checkSchemaProved({ hasSchema, targets, caseCount, passShareMin }: Evidence): GateCheck {
  const code = 'output_schema_proved';
  if (!hasSchema) return ended(code, 'not_measured', 'The version has no output_schema.');
  const unproved = targets.filter(
    (target) => !isProved(target, caseCount) || caseCount === 0 || target.schemaChecked < caseCount,
  );
  if (targets.length === 0 || unproved.length > 0) {
    const message =
      'No recorded answer to every case shows that the output schema holds; stated samples prove ' +
      `nothing. ${caseCount === 0 ? HOW_CASES : HOW}`;
    return ended(code, 'not_measured', message, unproved.map(proofOf));
  }
  const broken = targets.filter(
    ({ schemaValid, schemaChecked }) => schemaValid < passShareMin * schemaChecked,
  );
  if (broken.length === 0) {
    return ended(code, 'pass', 'Recorded answers are valid by the output schema.');
  }
  const names = listed(broken.map(({ name }) => name));
  return ended(code, 'fail', `Answers of ${names} break the output schema.`, broken.map(proofOf));
}

function checkCasesProved({ caseCount, targets }: Evidence): GateCheck {
  const code = 'cases_proved';
  if (caseCount === 0) {
    return ended(code, 'not_measured', `The package has no case set; ${HOW_CASES}`);
  }
  if (targets.length === 0) {
    const message = `No evaluation of the version has completed; ${HOW}`;
    return ended(code, 'not_measured', message);
  }
  const unproved = targets.filter((target) => !isProved(target, caseCount));
  const details = targets.map(proofOf);
  if (unproved.length === 0) {
    const simulated = targets.some((target) => target.simulated) ? ' Answers are simulated.' : '';
    const message = `Each of ${caseCount} cases was run with every model.${simulated}`;
    return ended(code, 'pass', message, details);
  }
  const made = unproved.some((target) => target.simulated && !target.simulatedOnly)
    ? ' Simulated answers are no evidence of a real model.'
    : '';
  const names = listed(unproved.map(({ name }) => name));
  const message = `Not every case is proved with ${names}.${made} ${HOW}`;
  return ended(code, 'not_measured', message, details);
}

function checkCasesPassed({ caseCount, targets, passShareMin }: Evidence): GateCheck {
  const code = 'cases_passed';
  const judged = targets.filter(({ outcomes }) => outcomes !== null && outcomes.length > 0);
  if (judged.length === 0) {
    return ended(code, 'not_measured', 'No case of this version has a result.');
  }
  const below = judged.filter(
    ({ outcomes }) => count(outcomes, 'f') > (1 - passShareMin) * caseCount + ROUNDING,
  );
  if (below.length === 0) {
    return ended(code, 'pass', `The share of cases that pass is at least ${passShareMin}.`);
  }
  const names = listed(below.map(({ name }) => name));
  const message = `Too many cases fail with ${names}: a share of ${passShareMin} must pass.`;
  return ended(code, 'fail', message, below.map(proofOf));
}

/** Shares are decimals, so a bound that is met exactly may miss by the last bit. */
const ROUNDING = 1e-9;

function checkRegression(evidence: Evidence): GateCheck {
  const { caseCount, targets, production, significance } = evidence;
  const code = 'no_regression';
  if (!production) return ended(code, 'not_measured', 'No other version is in production.');
  const { version } = production;
  if (caseCount === 0) {
    return ended(code, 'not_measured', `The package has no case set; ${HOW_CASES}`);
  }
  const isPaired = [targets, production.targets].every(
    (those) => those.length > 0 && those.every((each) => isProved(each, caseCount)),
  );
  if (!isPaired) {
    const message = `Version ${version} in production and this one need proved cases. ${HOW}`;
    return ended(code, 'not_measured', message, production.targets.map(proofOf));
  }
  const pairs = Array.from(
    { length: caseCount },
    (_none, at) => [passes(production.targets, at), passes(targets, at)] as const,
  );
  const found = comparisonOf(pairs, significance);
  const { worse, better, probability, verdict } = found;
  const facts = { production_version: version, worse, better, probability, significance };
  const told = `${worse} cases became worse than with version ${version}, ${better} better`;
  switch (verdict) {
    case 'no_case_worse':
      return ended(code, 'pass', `No case became worse than with version ${version}.`, [facts]);
    case 'regressed':
      return ended(code, 'fail', `${told}; by chance with p = ${probability}.`, [facts]);
    case 'not_significant':
      return ended(code, 'warn', `${told}; that may be chance, p = ${probability}.`, [facts]);
    case 'cannot_conclude':
      return ended(code, 'not_measured', `${told}; too few cases to tell from chance.`, [facts]);
  }
}

function passes(targets: readonly EvidenceTarget[], at: number): boolean {
  return targets.every(({ outcomes }) => outcomes?.[at] === 'p');
}

function proofOf(target: EvidenceTarget) {
  const { name, model, evaluationId, outcomes, simulated } = target;
  return {
    target: name,
    target_model: model,
    evaluation_id: evaluationId,
    passed: count(outcomes, 'p'),
    failed: count(outcomes, 'f'),
    unproved: count(outcomes, 'u'),
    simulated,
  };
}

function count(outcomes: string | null, letter: string): number {
  return [...(outcomes ?? '')].filter((each) => each === letter).length;
}

/**
 * The checks because of which a version does not pass. One that fails does. One that is not
 * measured does too where there is something to prove: an output schema, a case, a version in
 * production.
 */
export function failingOf(
  checks: readonly GateCheck[],
  evidence: Evidence | null,
): GateCheckCode[] {
  const required = new Set<GateCheckCode>();
  if (evidence?.hasSchema) required.add('output_schema_proved');
  if (evidence && evidence.caseCount > 0) {
    required.add('cases_proved');
    if (evidence.production) required.add('no_regression');
  }
  return checks
    .filter(({ code, status }) => {
      return status === 'fail' || (status === 'not_measured' && required.has(code));
    })
    .map(({ code }) => code);
}

/** The end of a run: it passes where nothing speaks against it and every case is proved. */
export function gateStatusOf(checks: readonly GateCheck[], evidence: Evidence): GateStatus {
  if (failingOf(checks, evidence).length > 0) return 'fail';
  const proved = checks.find(({ code }) => code === 'cases_proved');
  return proved?.status === 'pass' ? 'pass' : 'not_measured';
}

/**
 * The decision of a receipt, made again: the checks of evidence from the evidence that it holds,
 * the end from all checks. Null for receipts from before evidence was judged.
 */
export function decisionAgain(sealed: {
  readonly checks: readonly GateCheck[];
  readonly evidence: Evidence | null;
}): { readonly gateStatus: GateStatus; readonly checks: readonly GateCheck[] } | null {
  const { evidence } = sealed;
  if (!evidence) return null;
  const others = sealed.checks.filter(({ code }) => !EVIDENCE_CHECKS.has(code));
  const checks = [...others, ...checkEvidence(evidence)];
  return { gateStatus: gateStatusOf(checks, evidence), checks };
}
