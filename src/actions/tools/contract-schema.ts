import { builder } from '../../graph/builder.js';
import { authorized } from '../../graph/database.js';
import { pageComplexity } from '../../graph/page.js';
import type { VerbRule } from './contract.js';
import type { ToolDraft } from './draft.js';
import { ToolConnectorEnum, ToolRiskEnum } from './enums.js';
import {
  type RegisteredTool,
  registerTool,
  rotateSigningSecret,
  type ToolVersion,
  toolByKey,
} from './registry.js';
import { type ListedTool, toolsPage } from './tool-list.js';
import { BOUNDS, DEFAULTS } from './vocabulary.js';

const ToolVerbRule = builder.objectRef<VerbRule>('ToolVerbRule').implement({
  description: 'What a contract says about one of its verbs, defaults filled in.',
  fields: (t) => ({
    verb: t.exposeString('verb', { description: 'A verb of the published list.' }),
    risk: t.field({ type: ToolRiskEnum, description: 'Its risk.', resolve: ({ risk }) => risk }),
    destructive: t.exposeBoolean('destructive', { description: 'It destroys something.' }),
    requiresApproval: t.exposeBoolean('requiresApproval', {
      description: 'Every call of it waits for an approval.',
    }),
    compensatingVerb: t.exposeString('compensatingVerb', {
      nullable: true,
      description: 'The verb that undoes it; null where nothing does, so no rollback is offered.',
    }),
    argumentsSchema: t.expose('argumentsSchema', {
      type: 'JSON',
      nullable: true,
      description: 'JSON Schema of its arguments; null accepts any object.',
    }),
    amountField: t.exposeString('amountField', {
      nullable: true,
      description: 'JSON pointer to the argument that is money in rubles.',
    }),
    recordsField: t.exposeString('recordsField', {
      nullable: true,
      description: 'JSON pointer to the argument that lists or counts what is changed.',
    }),
  }),
});

const ToolContractType = builder.interfaceRef<ToolVersion>('ToolContract').implement({
  description: 'What a tool may do. Every change is a new version; versions never change.',
  fields: (t) => ({
    id: t.expose('id', { type: 'UUID', description: 'The id of this version.' }),
    version: t.exposeInt('version', { description: 'Its number, from 1 without a gap.' }),
    registeredBy: t.expose('registeredBy', {
      type: 'UUID',
      description: 'The member or key that registered it.',
    }),
    registeredAt: t.expose('registeredAt', { type: 'DateTime', description: 'When.' }),
    toolKey: t.string({
      description: 'The name of the tool in the organization.',
      resolve: ({ contract }) => contract.toolKey,
    }),
    name: t.string({
      nullable: true,
      description: 'What people call it; null where nobody said.',
      resolve: ({ contract }) => contract.name,
    }),
    description: t.string({
      nullable: true,
      description: 'What it does; null where nobody said.',
      resolve: ({ contract }) => contract.description,
    }),
    verbs: t.field({
      type: [ToolVerbRule],
      description: 'What it can be asked to do.',
      resolve: ({ contract }) => [...contract.verbs],
    }),
    risk: t.field({
      type: ToolRiskEnum,
      description: 'As registered, or else the highest risk of its verbs.',
      resolve: ({ contract }) => contract.risk,
    }),
    destructive: t.boolean({
      description: 'As registered, or else whether a verb is destructive.',
      resolve: ({ contract }) => contract.destructive,
    }),
    requiresApproval: t.boolean({
      description: 'As registered, or else whether a verb requires an approval.',
      resolve: ({ contract }) => contract.requiresApproval,
    }),
    connector: t.field({
      type: ToolConnectorEnum,
      description: 'What carries its actions out.',
      resolve: ({ contract }) => contract.connector,
    }),
    endpointUrl: t.string({
      nullable: true,
      description: 'What `http_webhook` calls; null for `simulated`.',
      resolve: ({ contract }) => contract.endpointUrl,
    }),
    timeoutMs: t.int({
      description: 'How long a call may take, all attempts together, in milliseconds.',
      resolve: ({ contract }) => contract.timeoutMs,
    }),
    approvalExpiresSeconds: t.int({
      description: 'How long a call waits for an approval.',
      resolve: ({ contract }) => contract.approvalExpiresSeconds,
    }),
    amountRubMaxAuto: t.field({
      type: 'Rub',
      nullable: true,
      description: 'Larger amounts wait; null leaves the limit of the kind of caller.',
      resolve: ({ contract }) => contract.amountMicroMaxAuto,
    }),
  }),
});

const Tool = builder.objectRef<ListedTool | ToolVersion>('Tool').implement({
  description: 'A tool with its contract in force.',
  interfaces: [ToolContractType],
});

const ToolRegistration = builder.objectRef<RegisteredTool>('ToolRegistration').implement({
  description: 'A tool right after it was registered.',
  interfaces: [ToolContractType],
  fields: (t) => ({
    signingSecret: t.exposeString('signingSecret', {
      nullable: true,
      description:
        'Verifies what the endpoint receives (Standard Webhooks); it is shown only here. Null ' +
        'where nothing is called.',
    }),
    alreadyRegistered: t.exposeBoolean('alreadyRegistered', {
      description: 'The contract in force said exactly this; no version was added.',
    }),
  }),
});

const TOOL_KEY = 'The name of the tool.';
const { timeoutMsMin, timeoutMsMax } = BOUNDS;
const { approvalExpiresSecondsMin, approvalExpiresSecondsMax } = BOUNDS;

const ToolRegisterInput = builder.inputType('ToolRegisterInput', {
  description: 'The contract of a tool. `toolKey` and `verbs` suffice.',
  fields: (t) => ({
    toolKey: t.string({
      required: true,
      description:
        'Lower-case words joined by dots, dashes or underscores, at most ' +
        `${BOUNDS.toolKeyCharactersMax} characters.`,
    }),
    name: t.string({ description: 'What people call it.' }),
    description: t.string({ description: 'What it does.' }),
    verbs: t.field({
      type: ['JSON'],
      required: true,
      description:
        'Names of published verbs, or objects `{verb, risk, destructive, requires_approval, ' +
        'compensating_verb, arguments_schema, amount_field, records_field}`, of which only ' +
        '`verb` is required. What an object says of its verb counts before what the contract says.',
    }),
    risk: t.field({
      type: ToolRiskEnum,
      description: 'The risk of every verb that does not say its own; default that of the verb.',
    }),
    destructive: t.boolean({
      description:
        'Every verb that does not say its own is destructive; default that of the verb. False ' +
        'does not make a destructive verb harmless; only the verb itself can say so.',
    }),
    requiresApproval: t.boolean({
      description: 'Every call waits for an approval, unless the verb says its own; default false.',
    }),
    endpointUrl: t.string({ description: 'An https address on the public internet.' }),
    connector: t.field({
      type: ToolConnectorEnum,
      description: 'Default `http_webhook` with an endpointUrl, else `simulated`.',
    }),
    timeoutMs: t.int({
      description: `From ${timeoutMsMin} to ${timeoutMsMax}; default ${DEFAULTS.timeoutMs}.`,
    }),
    approvalExpiresSeconds: t.int({
      description:
        `From ${approvalExpiresSecondsMin} to ${approvalExpiresSecondsMax}; ` +
        `default ${DEFAULTS.approvalExpiresSeconds}.`,
    }),
    amountRubMaxAuto: t.field({
      type: 'Rub',
      description: 'Larger amounts wait for an approval; default the limit of the caller.',
    }),
  }),
});

function draftOf(input: typeof ToolRegisterInput.$inferInput): ToolDraft {
  return { ...input, amountMicroMaxAuto: input.amountRubMaxAuto };
}

builder.queryFields((t) => ({
  tools: t.connection({
    type: Tool,
    description: 'The tools of the organization, the last new one first.',
    authScopes: { can: 'tools.read' },
    complexity: pageComplexity,
    resolve: (_root, args, ctx) => toolsPage(authorized(ctx), args),
  }),
  tool: t.field({
    type: Tool,
    description: 'A tool by its name.',
    authScopes: { can: 'tools.read' },
    args: { toolKey: t.arg.string({ required: true, description: TOOL_KEY }) },
    resolve: (_root, { toolKey }, ctx) => toolByKey(authorized(ctx), toolKey),
  }),
}));

builder.mutationFields((t) => ({
  toolRegister: t.field({
    type: ToolRegistration,
    description:
      'Registers a tool, or the next version of one. Calls that wait for an approval under the ' +
      'version before are voided. The same contract again adds no version.',
    authScopes: { can: 'tools.write' },
    args: {
      input: t.arg({ type: ToolRegisterInput, required: true, description: 'The contract.' }),
    },
    resolve: (_root, { input }, ctx) => registerTool(authorized(ctx), draftOf(input)),
  }),
  toolSigningSecretRotate: t.field({
    type: ToolRegistration,
    description:
      'Gives a tool a new signing secret, as a new version of its contract. The old secret signs ' +
      'nothing any more, and calls that wait for an approval are voided.',
    authScopes: { can: 'tools.write' },
    args: { toolKey: t.arg.string({ required: true, description: TOOL_KEY }) },
    resolve: (_root, { toolKey }, ctx) => rotateSigningSecret(authorized(ctx), toolKey),
  }),
}));
