import { code, fieldTable, integer, optional, text } from '../../kernel/fields/field.js';
import { codes, publishReference, rows } from '../../records/reference-field.js';
import {
  CONFIDENCES,
  COST_LINES,
  DECISIONS,
  EVENT_TYPES,
  OCCURRED_DAYS_MAX,
  QUANTITY_MAX,
  ROI_STATUSES,
  USE_CASE_DEFAULT,
  VERTICALS,
} from './vocabulary.js';

const EVENT_TYPE = fieldTable('ValueEventTypeRow', 'The business results that can be recorded.', {
  vertical: code(VERTICALS, 'The line of work that its results stand in.'),
});
const DECISION = fieldTable(
  'ValueDecisionRow',
  'What to do with a use case: the first row whose threshold its return reaches.',
  {
    roiPercentMin: optional(
      integer('The least return over measured cost, in percent; null for the last row.'),
    ),
  },
);
const CONFIDENCE = fieldTable(
  'ValueConfidenceRow',
  'How much a decision rests on: the first row all of whose minimums are reached.',
  {
    eventsMin: integer('The fewest value events.'),
    requestsMin: integer('The fewest answers of real models.'),
    evidencedPercentMin: integer('The least share of events with a reference or a request.'),
    valuedPercentMin: integer('The least share of events that state a value.'),
  },
);

publishReference({
  module: 'value',
  type: 'ValueReference',
  description: 'Types of results, decisions with their thresholds, and what confidence takes.',
  lists: {
    eventTypes: rows('event_type', EVENT_TYPES.rows, EVENT_TYPE),
    decisions: rows('decision', DECISIONS.rows, DECISION),
    confidences: rows('confidence', CONFIDENCES.rows, CONFIDENCE),
    verticals: codes('vertical', VERTICALS),
    costLines: codes('cost_line', COST_LINES),
    roiStatuses: codes('roi_status', ROI_STATUSES),
  },
  figures: {
    fields: {
      useCaseDefault: text('The use case of events and requests that name none.'),
      quantityMax: integer('The most results of one event.'),
      occurredDaysMax: integer('How many days back a result may lie.'),
    },
    values: {
      useCaseDefault: USE_CASE_DEFAULT,
      quantityMax: QUANTITY_MAX,
      occurredDaysMax: OCCURRED_DAYS_MAX,
    },
  },
});
