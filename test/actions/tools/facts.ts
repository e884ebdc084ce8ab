import fc from 'fast-check';
import type { ActionFacts } from '../../../src/actions/tools/rules.js';
import type { BlastRadius } from '../../../src/actions/tools/tables.js';
import { CALLER_LIMITS, type CallerKind } from '../../../src/actions/tools/vocabulary.js';

/** The blast radius of a harmless action. */
export const HARMLESS_RADIUS: BlastRadius = {
  records: 1,
  recordsBasis: 'declared_by_verb',
  amountMicro: null,
  amountBasis: 'declared_by_verb',
  destructive: false,
  reversible: true,
  compensatingVerb: null,
};

/** The facts of a harmless action that a member asks for. */
export const HARMLESS: ActionFacts = {
  verb: 'update',
  verbKnown: true,
  risk: 'low',
  destructive: false,
  requiresApproval: false,
  caller: 'member',
  blastRadius: HARMLESS_RADIUS,
  amountMicroMaxAuto: null,
  readOnlyBudget: null,
  loosenedByCaller: false,
};

const radius: fc.Arbitrary<BlastRadius> = fc.record({
  records: fc.option(fc.nat({ max: 20_000 }), { nil: null }),
  recordsBasis: fc.constantFrom('declared_in_arguments', 'declared_by_verb', 'unknown'),
  amountMicro: fc.option(fc.bigInt({ min: 0n, max: 20_000_000_000n }), { nil: null }),
  amountBasis: fc.constantFrom('declared_in_arguments', 'declared_by_verb', 'unknown'),
  destructive: fc.boolean(),
  reversible: fc.boolean(),
  compensatingVerb: fc.constantFrom(null, 'restore'),
});

/** Any facts at all. */
export const anyFacts: fc.Arbitrary<ActionFacts> = fc.record({
  verb: fc.constantFrom('read', 'update', 'delete', 'refund'),
  verbKnown: fc.boolean(),
  risk: fc.constantFrom('low', 'medium', 'high', 'critical'),
  destructive: fc.boolean(),
  requiresApproval: fc.boolean(),
  caller: fc.constantFrom(...(Object.keys(CALLER_LIMITS) as CallerKind[])),
  blastRadius: radius,
  amountMicroMaxAuto: fc.option(fc.bigInt({ min: 0n, max: 20_000_000_000n }), { nil: null }),
  readOnlyBudget: fc.constantFrom(null, 'agent_session s (total)'),
  loosenedByCaller: fc.boolean(),
});
