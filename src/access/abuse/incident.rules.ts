import { type DecisionTable, decide } from '../../kernel/decision.js';
import type { Fault } from '../../kernel/errors/fail.js';
import { fault } from '../../kernel/errors/faults.js';
import {
  INCIDENT_TYPES,
  type IncidentType,
  type KeyActionCode,
  type NextAction,
} from './vocabulary.js';

/** What an incident says, as what comes next is decided by it. */
export interface IncidentFacts {
  readonly type: IncidentType;
  readonly isKeyNamed: boolean;
  /** What was done to the key, whoever did it. */
  readonly actions: readonly KeyActionCode[];
}

const exposes = ({ type }: IncidentFacts) => INCIDENT_TYPES.find(type)?.exposes === true;
const did = (action: KeyActionCode) => (facts: IncidentFacts) => facts.actions.includes(action);
const didNothing = ({ actions }: IncidentFacts) => actions.every((action) => action === 'none');

/** What comes next after an incident: the first row that applies. */
export const NEXT_ACTION_TABLE: DecisionTable<IncidentFacts, NextAction> = [
  {
    code: 'key_unknown',
    outcome: 'name_key',
    description: 'Nothing was done, and the incident names no key to act on.',
    applies: (facts) => !facts.isKeyNamed && didNothing(facts),
  },
  {
    code: 'revoked',
    outcome: 'review_usage',
    description: 'The key is revoked; what it spent before is not known to be its owner’s.',
    applies: did('revoke'),
  },
  {
    code: 'rotated',
    outcome: 'switch_clients',
    description: 'A new key stands beside the old one, which ends with its grace.',
    applies: did('rotate'),
  },
  {
    code: 'exposed',
    outcome: 'revoke_key',
    description: 'Others may hold the key, and it still works.',
    applies: exposes,
  },
  {
    code: 'throttled',
    outcome: 'lift_throttle',
    description: 'The key is throttled until somebody lifts it.',
    applies: did('throttle'),
  },
  {
    code: 'unexplained',
    outcome: 'scan_key',
    description: 'Nothing was done, and the risk of the key is not known.',
    applies: (facts) => facts.isKeyNamed && didNothing(facts),
  },
  {
    code: 'done',
    outcome: 'close',
    description: 'What had to be done was done.',
    applies: () => true,
  },
];

/** What comes next, and why. */
export function nextAction(facts: IncidentFacts): { nextAction: NextAction; reason: string } {
  const { outcome, reason } = decide(NEXT_ACTION_TABLE, facts);
  return { nextAction: outcome, reason };
}

/** What an incident states of its actions. */
interface StatedActions {
  readonly keyRef: string | null;
  readonly actionsTaken: readonly KeyActionCode[];
  readonly throttlePerMinute: number | null;
  readonly graceSeconds: number | null;
  readonly descendants: string | null;
}

/** What no single field of an incident shows. */
export function actionFaults(stated: StatedActions): Fault[] {
  const { actionsTaken: actions } = stated;
  const path = 'input.actionsTaken';
  const isTwice = new Set(actions).size !== actions.length;
  const endsKey =
    stated.keyRef !== null && (actions.includes('rotate') || actions.includes('revoke'));
  const clashes = actions.includes('rotate') && actions.includes('revoke');
  const unused = (name: 'throttlePerMinute' | 'graceSeconds', action: KeyActionCode) =>
    stated[name] !== null && !(stated.keyRef !== null && actions.includes(action))
      ? [fault(`input.${name}`, 'invalid', `goes with a key and the action ${action} alone`)]
      : [];
  return [
    ...(isTwice ? [fault(path, 'invalid', 'must name each action once')] : []),
    ...(clashes ? [fault(path, 'invalid', 'must be rotate or revoke, not both')] : []),
    ...(actions.includes('none') && actions.length > 1
      ? [fault(path, 'invalid', 'must not name none beside another action')]
      : []),
    ...unused('throttlePerMinute', 'throttle'),
    ...unused('graceSeconds', 'rotate'),
    ...(stated.descendants !== null && !endsKey
      ? [fault('input.descendants', 'invalid', 'goes with a key and rotate or revoke alone')]
      : []),
  ];
}
