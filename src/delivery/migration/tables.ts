import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  json,
  list,
  object,
  optional,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { ALIAS_NAME, ALIAS_TARGET } from '../../routing/aliases/fields.js';
import {
  BOUNDS,
  CAPABILITIES,
  CUTOVER_OUTCOMES,
  MESSAGE_ROLES,
  MODES,
  ORIGINS,
  SEVERITIES,
  SOURCE_PROVIDERS,
  STATUSES,
} from './vocabulary.js';

const SHORT = { max: BOUNDS.textLengthMax };
const ADDRESS = { max: BOUNDS.urlLengthMax };

const ROLLBACK_INPUT = fieldTable(
  'MigrationRollbackInput',
  'The way back, as far as you state it. Never send the old key itself.',
  {
    baseUrl: optional(text('The old base address, without credentials.', ADDRESS)),
    model: optional(text('The model that clients go back to.', SHORT)),
    keyName: optional(text('The name of the variable that holds the old key.', { max: 64 })),
    scope: optional(text('Which clients go back.', SHORT)),
  },
);

/** The way back as a caller states it; what is left out is as it was. */
export type RollbackWish = Partial<ValuesOf<typeof ROLLBACK_INPUT.fields>>;

/** An alias that a cut-over is to create, so that clients keep the names of their code. */
export const MIGRATION_ALIAS = fieldTable(
  'MigrationAlias',
  'A model name of the clients, and what it is to stand for after the cut-over.',
  {
    alias: ALIAS_NAME,
    target: ALIAS_TARGET,
    reason: text('Why this target is proposed.', SHORT),
  },
);

/** An alias that a cut-over is to create. */
export type MigrationAlias = ValuesOf<typeof MIGRATION_ALIAS.fields>;

const ALIAS_INPUT = fieldTable(
  'MigrationAliasInput',
  'A model name of your clients, and what it is to stand for after the cut-over.',
  {
    alias: ALIAS_NAME,
    target: ALIAS_TARGET,
    reason: defaulting(text('Why this target is right.', SHORT), 'As it was stated.'),
  },
);

/** A new migration. */
export const PROJECT_INPUT = fieldTable(
  'ProviderMigrationCreateInput',
  'A new migration; only its key must be stated.',
  {
    migrationKey: text(`Your name of it, unique, at most ${BOUNDS.keyLengthMax} characters.`, {
      max: BOUNDS.keyLengthMax,
    }),
    projectId: optional(uuid("The caller's own project unless stated.")),
    sourceProvider: defaulting(code(SOURCE_PROVIDERS, 'Where the clients come from.'), 'other'),
    sourceBaseUrl: optional(
      text('The base address that they use now, without credentials.', ADDRESS),
    ),
    sourceModel: optional(text('The model that they use now.', SHORT)),
    targetModel: optional(text('The model or alias to use here; gw:auto by default.')),
    aliases: optional(
      list(
        object(ALIAS_INPUT, 'An alias.'),
        'The aliases that the cut-over creates, as import-config proposes them; by default one ' +
          'for the source model, where no model of that name is served.',
        { max: BOUNDS.aliasesMax },
      ),
    ),
    useCases: defaulting(
      list(text('A use case.', SHORT), 'What the clients do.', { max: BOUNDS.useCasesMax }),
      [],
    ),
    mode: defaulting(code(MODES, 'How traffic moves over.'), 'direct'),
    requiresApproval: defaulting(flag('True sends the cutover through the approval queue.'), false),
    rollback: optional(
      object(
        ROLLBACK_INPUT,
        'The way back; what is left out comes from the source and from defaults.',
      ),
    ),
  },
);

/** A new migration, with its defaults. */
export type MigrationDraft = ValuesOf<typeof PROJECT_INPUT.fields>;

const ACKNOWLEDGEMENT_INPUT = fieldTable(
  'MigrationAcknowledgementInput',
  'A condition of the last comparison that you, a member, accept.',
  {
    code: text('The rule of the comparison, one that makes it conditional.'),
    reason: text('Why it is acceptable.', SHORT),
  },
);

/** A condition that the caller accepts. */
export type AcknowledgementWish = ValuesOf<typeof ACKNOWLEDGEMENT_INPUT.fields>;

/** What a cutover is asked for with. */
export const CUTOVER_INPUT = fieldTable(
  'MigrationCutoverInput',
  'What a cutover is asked for with; nothing of it must be stated.',
  {
    rollback: optional(
      object(ROLLBACK_INPUT, 'Completes the rollback plan before the checklist is read.'),
    ),
    acknowledgements: defaulting(
      list(
        object(ACKNOWLEDGEMENT_INPUT, 'A condition.'),
        'The conditions that you accept; keys cannot. They are kept in the sealed receipt.',
        { max: BOUNDS.acknowledgementsMax },
      ),
      [],
    ),
  },
);

const MESSAGE_INPUT = fieldTable('MigrationMessageInput', 'A message of an evaluation item.', {
  role: code(MESSAGE_ROLES, 'Who says the message.'),
  content: text('The text of the message.', { max: BOUNDS.inputCharsMax }),
});

const EXPECTED = { min: 0, max: BOUNDS.inputCharsMax };
const EXPECTATION_INPUT = fieldTable(
  'MigrationExpectationInput',
  'What an answer must be to pass: exactly one of these. Upper and lower case differ.',
  {
    equals: optional(text('The whole answer, white space at both ends aside.', EXPECTED)),
    contains: optional(text('A part of the answer.', EXPECTED)),
    startsWith: optional(text('The beginning of the answer.', EXPECTED)),
    jsonSchema: optional(
      json(
        'The answer is JSON that fits this schema of draft 2020-12; the item then asks for ' +
          'structured output. References and patterns are refused.',
      ),
    ),
  },
);

/** What an answer must be to pass; exactly one member is given. */
export type Expectation = Partial<ValuesOf<typeof EXPECTATION_INPUT.fields>>;

/** An item of an evaluation set. */
export const EVALUATION_ITEM_INPUT = fieldTable(
  'MigrationEvaluationItemInput',
  'An item of an evaluation set: either input or messages, and what to expect.',
  {
    input: optional(text('The message of a user.', { max: BOUNDS.inputCharsMax })),
    messages: optional(
      list(object(MESSAGE_INPUT, 'A message.'), 'The messages of a conversation.', {
        min: 1,
        max: BOUNDS.messagesMax,
      }),
    ),
    expect: object(EXPECTATION_INPUT, 'What an answer must be to pass.'),
    useCase: optional(
      text('The use case of the migration that it tests, where the migration names any.', SHORT),
    ),
    sourceOutput: optional(
      text(
        'What the source answered; where every item has it, the source is judged too.',
        EXPECTED,
      ),
    ),
  },
);

const ROLLBACK_ORIGINS = fieldTable(
  'MigrationRollbackProvenance',
  'Where the parts of a rollback plan come from.',
  {
    baseUrl: code(ORIGINS, 'Where the base address comes from.'),
    model: code(ORIGINS, 'Where the model comes from.'),
    keyName: code(ORIGINS, 'Where the name of the variable comes from.'),
    scope: code(ORIGINS, 'Where the scope comes from.'),
  },
);

/** The way back: what clients used before. The old key itself is never taken. */
export const ROLLBACK_PLAN = fieldTable(
  'MigrationRollbackPlan',
  'The way back. There always is one; the old key itself is never taken.',
  {
    baseUrl: optional(text('The old base address; null where it is not known.')),
    model: optional(text('The old model; null where it is not known.')),
    keyName: text('The name of the variable that holds the old key.'),
    scope: text('Which clients go back.'),
    provenance: object(ROLLBACK_ORIGINS, 'For each part, where it comes from.'),
    fillIn: list(text('A part.'), 'What only you know; empty when the plan is complete.'),
    steps: list(text('A step.'), 'What to do, in order.'),
  },
);

/** The way back: what clients used before. */
export type RollbackPlan = ValuesOf<typeof ROLLBACK_PLAN.fields>;

const KNOWN_GAP = fieldTable('MigrationKnownGap', 'A documented gap that concerns the client.', {
  code: text('The gap, as the reference lists it.'),
  capability: code(CAPABILITIES, 'What it concerns.'),
  gap: text('What is different or missing.'),
  severity: code(SEVERITIES, 'How much it matters.'),
  workaround: text('What to do about it.'),
});

/** A gap that concerns a client. */
export type KnownGap = ValuesOf<typeof KNOWN_GAP.fields>;

/** What a scan found. It is a lookup of documented gaps and of the registry, not a live probe. */
export const SCAN_FIELDS = {
  usedCapabilities: list(code(CAPABILITIES, 'A capability.'), 'What the client uses.'),
  score: integer('From 0 to 100, by the formula.'),
  knownGaps: list(object(KNOWN_GAP, 'A gap.'), 'The gaps that concern the client.'),
  scannedAt: instant('When the scan was made.'),
} as const;

/** What a scan found. */
export type Scan = ValuesOf<typeof SCAN_FIELDS>;

/** An item of the checklist of a cutover. */
export const CHECKLIST_ITEM = fieldTable(
  'MigrationChecklistItem',
  'An item of the cutover checklist, read from the rows of the organization.',
  {
    code: text('The item, as the reference names it.'),
    description: text('What is so when it is done.'),
    done: flag('True when the rows show it.'),
    evidence: text('What the rows show.'),
    closedBy: text('The call that closes it: method and path.'),
  },
);

/** An item of the checklist, as the rows show it. */
export type ChecklistItem = ValuesOf<typeof CHECKLIST_ITEM.fields>;

const ACKNOWLEDGEMENT = fieldTable(
  'MigrationAcknowledgement',
  'A condition of a comparison that a member has accepted.',
  {
    code: text('The rule of the comparison.'),
    reason: text('Why it is acceptable, as the member says.'),
    memberId: uuid('The member; a key acknowledges nothing.'),
  },
);

/** A condition that a member has accepted. */
export type Acknowledgement = ValuesOf<typeof ACKNOWLEDGEMENT.fields>;

/** What the rows showed and a member accepted, as requests, approvals and receipts keep it. */
export const GROUNDS_FIELDS = {
  checklist: list(object(CHECKLIST_ITEM, 'An item.'), 'The checklist as the rows showed it then.'),
  acknowledgements: list(
    object(ACKNOWLEDGEMENT, 'A condition.'),
    'The conditions of the comparison that a member has accepted.',
  ),
} as const;

const CUTOVER_ALIAS = fieldTable(
  'MigrationCutoverAlias',
  'An alias of the migration as it stood after the cut-over.',
  {
    alias: ALIAS_NAME,
    target: ALIAS_TARGET,
    version: optional(integer('Its version; null where a model of that name is served itself.')),
    created: flag('True where the cut-over has created it, so that a rollback removes it.'),
  },
);

/** An alias of a migration that was cut over. */
export type CutoverAlias = ValuesOf<typeof CUTOVER_ALIAS.fields>;

/** What became of the aliases of a migration, as requests and receipts keep it. */
export const CUTOVER_ALIASES = list(
  object(CUTOVER_ALIAS, 'An alias.'),
  'The aliases of the migration; none while it has not happened.',
);

/** A request to cut over as a migration keeps it. */
export const CUTOVER_FIELDS = {
  decision: code(CUTOVER_OUTCOMES, 'What became of it.'),
  rule: text('The rule of the decision table that decided.'),
  reason: text('Why it was decided so.'),
  ...GROUNDS_FIELDS,
  openConditions: list(
    text('A rule of the comparison.'),
    'The conditions that nobody has acknowledged; each blocks the cutover.',
  ),
  aliases: CUTOVER_ALIASES,
  receiptId: optional(uuid('The sealed receipt of the cutover; null while it has not happened.')),
  receiptSha256: optional(
    sha256('SHA-256 of what was sealed, as canonical JSON by RFC 8785; null without it.'),
  ),
  approvalId: optional(uuid('Its approval in the queue; null where none was asked for.')),
  decidedAt: instant('When it was decided.'),
} as const;

/** A request to cut over, and what became of it. */
export type Cutover = ValuesOf<typeof CUTOVER_FIELDS>;

/** What the columns of a migration hold. */
export const PROJECT_FIELDS = {
  migrationKey: text('Your name of it, unique in the organization.'),
  projectId: uuid('The project whose keys and policies the clients will use.'),
  sourceProvider: code(SOURCE_PROVIDERS, 'Where the clients come from.'),
  sourceBaseUrl: optional(
    text('The base address that they use now; null where it was not stated.'),
  ),
  sourceModel: optional(text('The model that they use now; null where it was not stated.')),
  targetModel: text('The model or alias to use here.'),
  mode: code(MODES, 'How traffic moves over.'),
  requiresApproval: flag('True when the cutover goes through the approval queue.'),
  status: code(STATUSES, 'Where it stands.'),
  createdAt: instant('When it was created.'),
  updatedAt: instant('When it last changed.'),
} as const;
