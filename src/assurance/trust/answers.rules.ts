import { SLA_CLASSES } from '../../money/billing/vocabulary.js';
import { ARTIFACTS } from './artifacts.js';
import { CONTENT_LINES } from './contents.rules.js';
import { controlsOf } from './controls.rules.js';
import type { TrustFacts } from './facts.js';
import { flowOf } from './flow.rules.js';
import { answersFrom, missingEvidence } from './questionnaire.rules.js';
import { RETENTION } from './retention.js';
import { subprocessorOf } from './subprocessors.rules.js';

/** Security, service level and incidents. */
export function overviewOf(facts: TrustFacts) {
  const controls = controlsOf(facts);
  const { operator, production, securityContact, breakers, asOf } = facts;
  return {
    operator,
    production,
    controls,
    serviceLevels: SLA_CLASSES.rows.map(
      ({ code: slaClass, latencyMsMax, timeToFirstTokenMsMax }) => ({
        ...{ slaClass, latencyMsMax, timeToFirstTokenMsMax },
      }),
    ),
    incidents: {
      contact: securityContact,
      deploymentsServing: breakers.closed,
      deploymentsProbed: breakers.halfOpen,
      deploymentsStopped: breakers.open,
    },
    retention: RETENTION,
    contents: CONTENT_LINES,
    roadmap: controls.filter(({ status }) => status === 'roadmap').map(({ code }) => code),
    asOf,
  };
}

/** Who may get requests. */
export function registerOf(facts: TrustFacts) {
  const subprocessors = facts.providers.map((provider) => subprocessorOf(provider, facts));
  return { subprocessors, observedSince: facts.observedSince, asOf: facts.asOf };
}

/** The vendor questionnaire with the answers that hold. */
export function questionnaireOf(facts: TrustFacts) {
  const controls = controlsOf(facts);
  const questions = answersFrom(controls);
  const gaps = missingEvidence(questions, controls);
  return { questions, missingEvidence: gaps, asOf: facts.asOf };
}

/** All of the trust centre. */
export function packOf(facts: TrustFacts) {
  return {
    overview: overviewOf(facts),
    subprocessors: registerOf(facts),
    dataFlow: flowOf(facts),
    artifacts: ARTIFACTS,
    questionnaire: questionnaireOf(facts),
  };
}

/** Everything of the trust centre, as it is shown. */
export type VendorPack = ReturnType<typeof packOf>;
