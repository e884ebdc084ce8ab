import type { ToolContract, VerbRule } from '../../actions/tools/contract.js';
import { decideAction } from '../../actions/tools/rules.js';
import { meaningOf } from '../../actions/tools/verb-meaning.rules.js';
import { VERBS } from '../../actions/tools/vocabulary.js';
import type { Finding } from './tables.js';
import type { Gate } from './vocabulary.js';

/** What is wrong with a verb for a gate; undefined where nothing is. */
type Look = (rule: VerbRule, contract: ToolContract) => string | undefined;

/** What the live contract is looked at for, gate by gate. */
const LOOKS: readonly (readonly [Gate, Look])[] = [
  ['human_oversight', withoutPerson],
  ['argument_contract', withoutSchema],
  ['blast_radius', withoutReach],
];

/**
 * Audits a contract: for each gate whether all of its verbs hold, and which do not. What a verb
 * means is taken from the published list of verbs, so a contract that calls its `delete` harmless
 * does not hold.
 */
export function auditContract(contract: ToolContract): readonly Finding[] {
  return LOOKS.map(([gate, look]) => {
    const wrong = contract.verbs.flatMap((rule) => look(rule, contract) ?? []);
    const passed = wrong.length === 0;
    const all = `all ${contract.verbs.length} verbs hold`;
    return { gate, passed, detail: passed ? all : wrong.join('; ') };
  });
}

/** The action policy itself says what an agent may do with the smallest action of the verb. */
function withoutPerson(rule: VerbRule, contract: ToolContract): string | undefined {
  const meaning = VERBS.find(rule.verb);
  const isRisky = meaning?.risk === 'high' || meaning?.risk === 'critical';
  // What a verb means that the tool declares itself, nobody but its publisher says.
  if (meaning && !meaning.destructive && !meaning.money && !isRisky) return undefined;
  const { verb, risk, destructive, requiresApproval } = rule;
  const { decision } = decideAction({
    verb,
    verbKnown: true,
    risk,
    destructive,
    requiresApproval,
    caller: 'agent',
    blastRadius: SMALLEST,
    amountMicroMaxAuto: contract.amountMicroMaxAuto,
    readOnlyBudget: null,
    loosenedByCaller: false,
  });
  return decision === 'allow' ? `${verb} is done for an agent without a person` : undefined;
}

const SMALLEST = {
  records: 0,
  recordsBasis: 'declared_in_arguments',
  amountMicro: 0n,
  amountBasis: 'declared_in_arguments',
  destructive: false,
  reversible: true,
  compensatingVerb: null,
} as const;

function withoutSchema(rule: VerbRule): string | undefined {
  const changes = VERBS.find(rule.verb)?.scope !== 'none';
  if (!changes || rule.requiresApproval || rule.argumentsSchema !== null) return undefined;
  return `${rule.verb} takes any arguments`;
}

function withoutReach(rule: VerbRule): string | undefined {
  const meaning = meaningOf(rule);
  if (rule.requiresApproval) return undefined;
  if (meaning.money && rule.amountField === null) return `${rule.verb} does not say its amount`;
  const isMany = meaning.scope === 'many' && rule.recordsField === null;
  return isMany ? `${rule.verb} does not say how many records it changes` : undefined;
}
