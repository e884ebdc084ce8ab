import {
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  sha256,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import {
  ANSWER_SOURCES,
  ANSWERS_MAX,
  BLOCKING_ITEMS,
  DECLARED_ANSWERS,
  DOCUMENT_SOURCES,
  DOCUMENT_STATUSES,
  DOCUMENT_TYPES,
  EDO_PROVIDERS,
  EDO_STATUSES,
  PACK_STATUSES,
  PACK_TYPES,
} from './vocabulary.js';

/** A pack to assemble. */
export const PACK_INPUT = fieldTable('ProcurementPackInput', 'A pack to assemble.', {
  packType: defaulting(code(PACK_TYPES, 'What the pack is for; a pilot unless stated.'), 'pilot'),
  legalName: optional(text('The legal name of the customer.', { max: 300 })),
  inn: optional(text('The taxpayer number of the customer: 10 or 12 digits.', { max: 12 })),
});

/** A step of a pack. */
export const STATUS_INPUT = fieldTable('ProcurementPackStatusInput', 'A step of a pack.', {
  status: code(PACK_STATUSES, 'The status that the pack is to have.'),
  note: optional(text('Why, in the words of whoever sets it.', { max: 500 })),
});

const DECLARED = {
  question: text('The code of the question.', { max: 80 }),
  answer: code(DECLARED_ANSWERS, 'The answer that the organization vouches for.'),
  comment: optional(text('What the answer rests on.', { max: 2_000 })),
} as const;

const DECLARED_ANSWER = fieldTable(
  'ProcurementAnswerInput',
  'An answer to an open question.',
  DECLARED,
);

/** The answers that a pack keeps. */
export const KEPT_ANSWERS = {
  answers: list(
    object(fieldTable('ProcurementKeptAnswer', 'An answer.', DECLARED), 'One.'),
    'All.',
  ),
} as const;

/** An answer that a person has given. */
export type DeclaredAnswer = ValuesOf<typeof DECLARED>;

/** Answers to fill in. */
export const FILL_INPUT = fieldTable(
  'ProcurementQuestionnaireInput',
  'Answers to open questions; without any the questionnaire is only read.',
  {
    answers: defaulting(
      list(object(DECLARED_ANSWER, 'An answer.'), 'Answers to questions that are open.', {
        max: ANSWERS_MAX,
      }),
      [],
    ),
  },
);

const OPTIONAL_STATUS = {
  contract: optional(code(EDO_STATUSES, 'Where the contract stands.')),
  invoice: optional(code(EDO_STATUSES, 'Where the invoice stands.')),
  act: optional(code(EDO_STATUSES, 'Where the act of acceptance stands.')),
  upd: optional(code(EDO_STATUSES, 'Where the universal transfer document stands.')),
} as const;

/** What has happened in the exchange. */
export const EDO_INPUT = fieldTable(
  'ProcurementEdoInput',
  'What has happened in the exchange; what is left out stays as it was.',
  {
    provider: optional(code(EDO_PROVIDERS, 'How documents are exchanged.')),
    ...OPTIONAL_STATUS,
    push: defaulting(
      flag('True asks the gateway to send by itself, which is roadmap: 501.'),
      false,
    ),
  },
);

/** What has happened in the exchange. */
export type EdoStated = ValuesOf<typeof EDO_INPUT.fields>;

/** The exchange of a pack, as it is kept and shown. */
export const EDO = fieldTable(
  'ProcurementEdo',
  'The exchange of documents, as people have recorded it: the gateway sends nothing itself.',
  {
    provider: optional(code(EDO_PROVIDERS, 'How documents are exchanged; null until chosen.')),
    contract: code(EDO_STATUSES, 'Where the contract stands.'),
    invoice: code(EDO_STATUSES, 'Where the invoice stands.'),
    act: code(EDO_STATUSES, 'Where the act of acceptance stands.'),
    upd: code(EDO_STATUSES, 'Where the universal transfer document stands.'),
  },
);

/** The exchange of a pack. */
export type Edo = ValuesOf<typeof EDO.fields>;

const GAP = fieldTable('ProcurementMissingEvidence', 'Something that cannot be shown.', {
  code: text('What it is called.'),
  needed: text('What would show it, in Russian.'),
});

/** A document of a pack without its text. */
export const DOCUMENT_ENTRY = fieldTable('ProcurementDocumentEntry', 'A document of a pack.', {
  docType: code(DOCUMENT_TYPES, 'Which document it is.'),
  title: text('The name of the document, in Russian.'),
  source: code(DOCUMENT_SOURCES, 'Where its text comes from.'),
  status: code(DOCUMENT_STATUSES, 'Whether it can be used.'),
  missingEvidence: list(object(GAP, 'A gap.'), 'What it cannot show.'),
});

/** A document of a pack with its text. */
export const DOCUMENT = fieldTable('ProcurementDocument', 'A document of a pack, with its text.', {
  ...DOCUMENT_ENTRY.fields,
  text: text('The text in Russian, in plain paragraphs.'),
  sha256: sha256('Of the text in UTF-8: two readings with the same text have the same.'),
  generatedAt: instant('When the text was made.'),
});

/** A document with its text. */
export type PackDocument = ValuesOf<typeof DOCUMENT.fields>;

const PACK_QUESTION = fieldTable('ProcurementQuestion', 'A question of a pack with its answer.', {
  code: text('The code of the question.'),
  section: text('The section that it stands in.'),
  question: text('The question, in Russian.'),
  answer: optional(code(DECLARED_ANSWERS, 'The answer; null while the question is open.')),
  source: code(ANSWER_SOURCES, 'Who has given the answer.'),
  explanation: text('What the answer rests on, or what it needs, in Russian.'),
});

/** The questionnaire of a pack. */
export const PACK_QUESTIONNAIRE = fieldTable(
  'ProcurementQuestionnaire',
  'The questionnaire of a pack: the gateway answers what it can show, people the rest.',
  {
    packId: text('The pack, by its id.'),
    completionScore: integer('Answered questions in percent of all, rounded down.'),
    questions: list(object(PACK_QUESTION, 'A question.'), 'Every question, section by section.'),
    missingEvidence: list(text('The code of a question.'), 'The open questions.'),
  },
);

const ITEM = fieldTable('ProcurementBlocking', 'Something that stands against a pack.', {
  code: code(BLOCKING_ITEMS, 'What kind it is.'),
  document: optional(code(DOCUMENT_TYPES, 'The document that it is about; null for none.')),
  reason: text('What stands against it.'),
  fix: text('The call that lifts it.'),
});

const SAVED = fieldTable('ProcurementDaysSaved', 'A part of the saved days.', {
  part: text('The document, or `questionnaire`.'),
  days: integer('The declared days of it.'),
  counted: flag('Whether it is counted: documents with missing evidence are not.'),
});

/** How far a pack is. */
export const PACK_RECEIPT = fieldTable('ProcurementReceipt', 'How far a pack is.', {
  packId: text('The pack, by its id.'),
  status: code(PACK_STATUSES, 'Where the pack stands.'),
  readiness: integer('Conditions that hold in percent of all, rounded down.'),
  isReady: flag('Whether nothing stands against the signature.'),
  blockingItems: list(object(ITEM, 'An item.'), 'Everything that stands against it.'),
  daysSavedEstimate: integer('Working days that need no letters; an estimate, see the formula.'),
  daysSavedFormula: text('How the days are counted.'),
  daysSavedProvenance: code(PROVENANCES, 'The days of each part are declared, not measured.'),
  daysSavedParts: list(object(SAVED, 'A part.'), 'What the estimate is made of.'),
  asOf: instant('When it was computed.'),
});
