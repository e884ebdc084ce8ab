import { builder } from '../../graph/builder.js';
import type { PreparedAction } from './action.js';
import type { BlastRadius } from './blast-radius.js';
import { isSimulated } from './contract.js';
import { ToolConnectorEnum, ToolDecisionEnum, ToolFigureBasisEnum } from './enums.js';
import type { ActionReason } from './rules.js';

/** How far an action can reach. */
export const BlastRadiusType = builder.objectRef<BlastRadius>('ToolBlastRadius').implement({
  description:
    'How far an action can reach, as far as its contract and its arguments declare. What is not ' +
    'declared is unknown, and then the action waits for a person.',
  fields: (t) => ({
    records: t.exposeInt('records', {
      nullable: true,
      description: 'Records that change; null when unknown.',
    }),
    recordsBasis: t.field({
      type: ToolFigureBasisEnum,
      description: 'Where `records` comes from.',
      resolve: ({ recordsBasis }) => recordsBasis,
    }),
    amountRub: t.expose('amountMicro', {
      type: 'Rub',
      nullable: true,
      description: 'Money that moves; null when none does, or when it is unknown.',
    }),
    amountBasis: t.field({
      type: ToolFigureBasisEnum,
      description: 'Where `amountRub` comes from.',
      resolve: ({ amountBasis }) => amountBasis,
    }),
    destructive: t.exposeBoolean('destructive', { description: 'Something is destroyed.' }),
    reversible: t.exposeBoolean('reversible', {
      description: 'Nothing is changed, or the contract names a verb that undoes it.',
    }),
    compensatingVerb: t.exposeString('compensatingVerb', {
      nullable: true,
      description: 'The verb that undoes it; null where nothing does.',
    }),
  }),
});

/** A guard that applied. */
export const ActionReasonType = builder.objectRef<ActionReason>('ToolDecisionReason').implement({
  description: 'A guard of the action policy that applies, and what it says.',
  fields: (t) => ({
    guard: t.exposeString('guard', { description: 'A row of the published decision table.' }),
    outcome: t.field({
      type: ToolDecisionEnum,
      description: 'What the guard asks for.',
      resolve: ({ outcome }) => outcome,
    }),
    reason: t.exposeString('reason', { description: 'Why it applies.' }),
  }),
});

/** What would happen. */
export const ToolPreview = builder.objectRef<PreparedAction>('ToolPreview').implement({
  description:
    'What the action policy says to an action, without executing it. Executing the same action ' +
    'under the same contract gives the same answer.',
  fields: (t) => ({
    toolKey: t.string({
      description: 'The tool.',
      resolve: ({ tool }) => tool.contract.toolKey,
    }),
    contractVersion: t.int({
      description: 'The version of its contract.',
      resolve: ({ tool }) => tool.version,
    }),
    verb: t.exposeString('verb', { description: 'What is asked for.' }),
    decision: t.field({
      type: ToolDecisionEnum,
      description: 'What the action policy decides.',
      resolve: ({ judged }) => judged.decision,
    }),
    guard: t.string({
      description: 'The row of the decision table that decides.',
      resolve: ({ judged }) => judged.guard,
    }),
    reasons: t.field({
      type: [ActionReasonType],
      description: 'Every guard that applies, the deciding one first.',
      resolve: ({ judged }) => [...judged.reasons],
    }),
    blastRadius: t.field({
      type: BlastRadiusType,
      description: 'How far the action can reach.',
      resolve: ({ judged }) => judged.blastRadius,
    }),
    boundHash: t.field({
      type: 'Sha256',
      description:
        'SHA-256 over contract version, verb, arguments, blast radius and decision: what an ' +
        'approval is bound to.',
      resolve: ({ judged }) => judged.boundHash,
    }),
    connector: t.field({
      type: ToolConnectorEnum,
      description: 'What would carry the action out.',
      resolve: ({ tool }) => tool.contract.connector,
    }),
    simulated: t.boolean({
      description: 'Nothing outside would change.',
      resolve: ({ tool }) => isSimulated(tool.contract),
    }),
    rollbackAvailable: t.boolean({
      description: 'Once executed, the action could be undone by a verb of the contract.',
      resolve: ({ judged }) => judged.blastRadius.compensatingVerb !== null,
    }),
  }),
});
