import { fieldTable, integer, list, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import { SECTIONS } from '../trust/questionnaire.rules.js';
import {
  ANSWER_SOURCES,
  BLOCKING_ITEMS,
  DAYS_SAVED_FORMULA,
  DECLARED_ANSWERS,
  DOCUMENT_SOURCES,
  DOCUMENT_STATUSES,
  DOCUMENT_TYPES,
  EDO_DOCUMENTS,
  EDO_LIFECYCLE,
  EDO_PROVIDERS,
  EDO_STATUSES,
  OBSERVED_DAYS,
  PACK_LIFECYCLE,
  PACK_STATUSES,
  PACK_TYPES,
  QUESTIONNAIRE_DAYS,
} from './vocabulary.js';

const DOCUMENT = fieldTable('ProcurementDocumentKind', 'The catalogue of documents.', {
  title: text('The name of the document, in Russian.'),
  source: text('Where its text comes from.'),
  packs: list(text('A type of packs.'), 'The packs that it belongs to.'),
  daysSaved: integer('Working days that it is declared to take by letters.'),
});

const STATUS = fieldTable('ProcurementStatusRow', 'The statuses of packs, and what may follow.', {
  next: list(text('A status.'), 'The statuses that may follow.'),
});

const EDO_STATUS = fieldTable('ProcurementEdoStatusRow', 'The statuses of exchanged documents.', {
  next: list(text('A status.'), 'The statuses that may follow.'),
});

const BLOCKING = fieldTable('ProcurementBlockingRow', 'What can stand against a pack.', {
  fix: text('The call that lifts it.'),
});

const SECTION = fieldTable('ProcurementQuestionnaireSection', 'The sections of questionnaires.', {
  questions: list(text('A code.'), 'The questions of the section.'),
});

publishReference({
  module: 'procurement',
  type: 'ProcurementReference',
  description: 'Packs, documents, statuses with their steps, and how readiness is computed.',
  lists: {
    packTypes: codes('pack_type', PACK_TYPES),
    documents: rows('document', DOCUMENT_TYPES.rows, DOCUMENT),
    documentSources: codes('document_source', DOCUMENT_SOURCES),
    documentStatuses: codes('document_status', DOCUMENT_STATUSES),
    statuses: rows(
      'status',
      PACK_STATUSES.rows.map((row) => ({ ...row, next: Object.keys(PACK_LIFECYCLE[row.code]) })),
      STATUS,
    ),
    edoProviders: codes('edo_provider', EDO_PROVIDERS),
    edoStatuses: rows(
      'edo_status',
      EDO_STATUSES.rows.map((row) => ({ ...row, next: Object.keys(EDO_LIFECYCLE[row.code]) })),
      EDO_STATUS,
    ),
    questionnaireSections: rows(
      'questionnaire_section',
      SECTIONS.map(({ code, title, questions }) => ({
        code,
        description: title,
        questions: questions.map((each) => each.code),
      })),
      SECTION,
    ),
    answers: codes('answer', DECLARED_ANSWERS),
    answerSources: codes('answer_source', ANSWER_SOURCES),
    blockingItems: rows('blocking_item', BLOCKING_ITEMS.rows, BLOCKING),
  },
  figures: {
    fields: {
      edoDocuments: list(text('A document.'), 'The documents whose exchange is tracked.'),
      daysSavedFormula: text('How the saved days of a receipt are counted.'),
      questionnaireDays: integer('The declared days of a whole questionnaire.'),
      observedDays: integer('Usage of so many days shows the routes that were really taken.'),
    },
    values: {
      edoDocuments: EDO_DOCUMENTS,
      daysSavedFormula: DAYS_SAVED_FORMULA,
      questionnaireDays: QUESTIONNAIRE_DAYS,
      observedDays: OBSERVED_DAYS,
    },
  },
});
