import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import { CAPABILITIES, SOURCE_PROVIDERS } from '../migration/vocabulary.js';
import type { ImportReport, ShownFault, ShownFinding } from './rules.js';
import { importConfig } from './service.js';
import type { Suggestion } from './suggest.js';
import { FINDING_TYPES, IMPORT_KINDS } from './vocabulary.js';

const Kind = builder.enumType('MigrationImportKind', {
  description: 'What kind of text is imported.',
  values: enumValues(IMPORT_KINDS),
});

const FindingTypeEnum = builder.enumType('MigrationImportFindingType', {
  description: 'What a finding is about.',
  values: enumValues(FINDING_TYPES),
});

const Finding = builder.objectRef<ShownFinding>('MigrationImportFinding').implement({
  description: 'Something that the text says about the client, with the line that shows it.',
  fields: (t) => ({
    type: t.expose('type', { type: FindingTypeEnum, description: 'What it is about.' }),
    value: t.exposeString('value', {
      nullable: true,
      description:
        'What was found; for keys the name of the variable or field, never a key. What is the ' +
        'customer’s own, such as a host or a deployment, is redacted.',
    }),
    says: t.exposeString('says', { description: 'What the place does, in words.' }),
    line: t.exposeInt('line', { description: 'The line, counted from 1.' }),
    text: t.exposeString('text', {
      description: 'The line. What is not known to be harmless is redacted.',
    }),
  }),
});

const Fault = builder.objectRef<ShownFault>('MigrationImportFault').implement({
  description: 'A place that could not be read; what was found elsewhere is kept.',
  fields: (t) => ({
    line: t.exposeInt('line', { description: 'The line, counted from 1.' }),
    column: t.exposeInt('column', { description: 'The column, counted from 1.' }),
    message: t.exposeString('message', { description: 'What is wrong there.' }),
  }),
});

const SuggestedModel = builder.objectRef<Suggestion>('MigrationImportModel').implement({
  description: 'What to name here instead of a model of the text.',
  fields: (t) => ({
    model: t.exposeString('model', {
      description: 'The model as the text names it; redacted where it is no known one.',
    }),
    gatewayModel: t.exposeString('gatewayModel', {
      nullable: true,
      description: 'What to send in `model`; null where nothing that can be called comes near.',
    }),
    reason: t.exposeString('reason', { description: 'Why.' }),
  }),
});

const PROVIDER_CODES = SOURCE_PROVIDERS.map(({ code }) => `\`${code}\``).join(', ');
const CAPABILITY_CODES = CAPABILITIES.map(({ code }) => `\`${code}\``).join(', ');

const Import = builder.objectRef<ImportReport>('MigrationConfigImport').implement({
  description:
    'What a text says about the client that it configures. Everything is read from the text ' +
    'that was given; nothing of it is stored, and no secret of it is shown.',
  fields: (t) => ({
    kind: t.expose('kind', { type: Kind, description: 'The kind that was read.' }),
    detectedProvider: t.exposeString('detectedProvider', {
      nullable: true,
      description:
        `One of ${PROVIDER_CODES}, by its strongest sign: an address says more than a library, ` +
        'that more than a name, that more than a model. Null where nothing names one.',
    }),
    otherProviders: t.stringList({
      description: 'Further providers that are named, strongest first.',
      resolve: ({ otherProviders }) => [...otherProviders],
    }),
    detectedBaseUrl: t.exposeString('detectedBaseUrl', {
      nullable: true,
      description: 'The base address that is stated; null where the client uses its default.',
    }),
    detectedModel: t.string({
      nullable: true,
      description: 'The first model that is named; null where none is.',
      resolve: ({ detectedModels }) => detectedModels[0] ?? null,
    }),
    detectedModels: t.stringList({
      description: 'Every model that is named, in the order of the text.',
      resolve: ({ detectedModels }) => [...detectedModels],
    }),
    suggestedCapabilities: t.stringList({
      description: `What the client uses, to be scanned for: ${CAPABILITY_CODES}.`,
      resolve: ({ suggestedCapabilities }) => [...suggestedCapabilities],
    }),
    suggestedGatewayModels: t.field({
      type: [SuggestedModel],
      description: 'What to name here instead of each model.',
      resolve: ({ suggestedGatewayModels }) => [...suggestedGatewayModels],
    }),
    apiKeyPresent: t.exposeBoolean('apiKeyPresent', {
      description: 'True where a key is given or read from a variable. The key is not kept.',
    }),
    apiKeyNames: t.stringList({
      description: 'The variables and fields that hold keys.',
      resolve: ({ apiKeyNames }) => [...apiKeyNames],
    }),
    findings: t.field({
      type: [Finding],
      description: 'What was found, in the order of the text.',
      resolve: ({ findings }) => [...findings],
    }),
    warnings: t.stringList({
      description: 'What needs more than another address and key.',
      resolve: ({ warnings }) => [...warnings],
    }),
    parseFaults: t.field({
      type: [Fault],
      description: 'Places that could not be read; empty where the whole text was.',
      resolve: ({ parseFaults }) => [...parseFaults],
    }),
    migrated: t.exposeString('migrated', {
      nullable: true,
      description:
        'The text with base address, key and models replaced. Every literal that is not known to ' +
        'be harmless is redacted: put yours back in. Null where it takes more than that.',
    }),
  }),
});

builder.queryField('migrationConfigImport', (t) =>
  t.field({
    type: Import,
    description:
      'Reads the settings, the code or the exported workflow of a client and says which ' +
      'provider, address, models and capabilities it uses. Nothing is stored.',
    complexity: 50,
    args: {
      kind: t.arg({ type: Kind, required: true, description: 'What kind of text it is.' }),
      content: t.arg.string({ required: true, description: 'The text, up to 256 KiB.' }),
    },
    resolve: (_root, { kind, content }, ctx) => importConfig(ctx, { kind, content }),
  }),
);
