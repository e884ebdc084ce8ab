import {
  code,
  fieldTable,
  flag,
  integer,
  list,
  object,
  optional,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MIGRATION_ALIAS } from '../migration/tables.js';
import { CAPABILITIES, SOURCE_PROVIDERS } from '../migration/vocabulary.js';
import { FINDING_TYPES, IMPORT_KINDS } from './vocabulary.js';

const FINDING = fieldTable(
  'MigrationImportFinding',
  'Something that the text says about the client, with the line that shows it.',
  {
    type: code(FINDING_TYPES, 'What it is about.'),
    value: optional(
      text(
        'What was found; for keys the name of the variable or field, never a key. What is the ' +
          'customer’s own, such as a host or a deployment, is redacted.',
      ),
    ),
    says: text('What the place does, in words.'),
    line: integer('The line, counted from 1.'),
    text: text('The line. What is not known to be harmless is redacted.'),
  },
);

/** A finding as it is shown: no part of it holds a secret. */
export type ShownFinding = ValuesOf<typeof FINDING.fields>;

const FAULT = fieldTable(
  'MigrationImportFault',
  'A place that could not be read; what was found elsewhere is kept.',
  {
    line: integer('The line, counted from 1.'),
    column: integer('The column, counted from 1.'),
    message: text('What is wrong there.'),
  },
);

/** Where the text could not be read. */
export type ShownFault = ValuesOf<typeof FAULT.fields>;

const MODEL = fieldTable(
  'MigrationImportModel',
  'What to name here instead of a model of the text.',
  {
    model: text('The model as the text names it; redacted where it is no known one.'),
    gatewayModel: optional(
      text('What to send in `model`; null where nothing that can be called comes near.'),
    ),
    reason: text('Why this model of the gateway is proposed.'),
  },
);

/** What to name instead of a model. */
export type Suggestion = ValuesOf<typeof MODEL.fields>;

/** What a text says about the client that it configures. */
export const IMPORT_REPORT = fieldTable(
  'MigrationConfigImport',
  'What a text says about the client that it configures. Everything is read from the text ' +
    'that was given; nothing of it is stored, and no secret of it is shown.',
  {
    kind: code(IMPORT_KINDS, 'The kind that was read.'),
    detectedProvider: optional(
      code(
        SOURCE_PROVIDERS,
        'The provider by its strongest sign: an address says more than a library, that more than ' +
          'a name, that more than a model. Null where nothing names one.',
      ),
    ),
    otherProviders: list(
      code(SOURCE_PROVIDERS, 'A provider.'),
      'Further providers that are named, strongest first.',
    ),
    detectedBaseUrl: optional(
      text('The base address that is stated; null where the client uses its default.'),
    ),
    detectedModel: optional(text('The first model that is named; null where none is.')),
    detectedModels: list(text('A model.'), 'Every model that is named, in the order of the text.'),
    suggestedCapabilities: list(
      code(CAPABILITIES, 'A capability.'),
      'What the client uses, to be scanned for.',
    ),
    suggestedGatewayModels: list(
      object(MODEL, 'A model.'),
      'What to name here instead of each model.',
    ),
    proposedAliases: list(
      object(MIGRATION_ALIAS, 'An alias.'),
      'Models that are not served here under their names: as `aliases` of a migration they stay ' +
        'in the code. Those that are redacted must be named by you.',
    ),
    apiKeyPresent: flag('True where a key is given or read from a variable. The key is not kept.'),
    apiKeyNames: list(text('A name.'), 'The variables and fields that hold keys.'),
    findings: list(object(FINDING, 'A finding.'), 'What was found, in the order of the text.'),
    warnings: list(text('A warning.'), 'What needs more than another address and key.'),
    parseFaults: list(
      object(FAULT, 'A place.'),
      'Places that could not be read; empty where the whole text was.',
    ),
    migrated: optional(
      text(
        'The text with base address, key and models replaced. Every literal that is not known to ' +
          'be harmless is redacted: put yours back in. Null where it takes more than that.',
      ),
    ),
  },
);

/** What a text says about the client that it configures. */
export type ImportReport = ValuesOf<typeof IMPORT_REPORT.fields>;
