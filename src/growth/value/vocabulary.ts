import { MICRO_PER_RUB } from '../../kernel/money.js';
import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What results are told apart by. */
export const VERTICALS = vocabulary('ValueVertical', 'A line of work that AI does.', [
  { code: 'tenders', description: 'Tenders: analysis, bids and their success.' },
  { code: 'calls', description: 'Calls: their quality, summaries and leads.' },
  { code: 'documents', description: 'Documents: extraction, review and processing.' },
  { code: 'creatives', description: 'Creatives: texts and cards that were published.' },
  { code: 'knowledge', description: 'Knowledge: answers and tickets that need nobody.' },
  { code: 'other', description: 'Results that stand in none of the other lines.' },
]);

/** A line of work. */
export type Vertical = CodeOf<typeof VERTICALS>;

/** Where the cost of a vertical stands beside the verticals themselves. */
export const COST_LINES = vocabulary('ValueCostLine', 'A line of cost per result.', [
  ...VERTICALS.rows,
  { code: 'unattributed', description: 'Cost of use cases of which no result was recorded.' },
]);

/** The results that can be recorded; each stands in one vertical. */
export const EVENT_TYPES = vocabulary('ValueEventType', 'A business result of AI.', [
  { code: 'tender_analyzed', description: 'A tender was analysed.', vertical: 'tenders' },
  { code: 'bid_submitted', description: 'A bid was submitted.', vertical: 'tenders' },
  { code: 'tender_won', description: 'A tender was won.', vertical: 'tenders' },
  { code: 'call_summarized', description: 'A call was summarised.', vertical: 'calls' },
  { code: 'call_scored', description: 'The quality of a call was judged.', vertical: 'calls' },
  { code: 'lead_qualified', description: 'A lead was qualified.', vertical: 'calls' },
  { code: 'document_processed', description: 'A document was processed.', vertical: 'documents' },
  { code: 'invoice_extracted', description: 'An invoice was read.', vertical: 'documents' },
  { code: 'contract_reviewed', description: 'A contract was reviewed.', vertical: 'documents' },
  { code: 'creative_published', description: 'A text was published.', vertical: 'creatives' },
  {
    code: 'product_card_published',
    description: 'A card of goods was published.',
    vertical: 'creatives',
  },
  {
    code: 'ticket_deflected',
    description: 'A ticket was answered without a person.',
    vertical: 'knowledge',
  },
  {
    code: 'ticket_resolved',
    description: 'A person resolved a ticket with a draft.',
    vertical: 'knowledge',
  },
  { code: 'question_answered', description: 'A question was answered.', vertical: 'knowledge' },
  { code: 'other_result', description: 'A result of another kind.', vertical: 'other' },
]);

/** A type of results. */
export type EventType = CodeOf<typeof EVENT_TYPES>;

/** What to do with a use case: the first row whose threshold its return reaches. */
export const DECISIONS = vocabulary('ValueDecision', 'What to do with a use case.', [
  { code: 'scale', description: 'It returns at least twice its cost.', roiPercentMin: 100 },
  { code: 'fix', description: 'It returns its cost, and less than twice.', roiPercentMin: 0 },
  { code: 'pause', description: 'It returns at least half of its cost.', roiPercentMin: -50 },
  { code: 'kill', description: 'It returns less than half of its cost.', roiPercentMin: null },
]);

/** What to do with a use case. */
export type Decision = CodeOf<typeof DECISIONS>;

/** How much a decision rests on: the first row all of whose minimums are reached. */
export const CONFIDENCES = vocabulary('ValueConfidence', 'How much a decision rests on.', [
  {
    code: 'high',
    description: 'Many results and requests, and almost every result can be looked up.',
    eventsMin: 30,
    requestsMin: 100,
    evidencedPercentMin: 80,
    valuedPercentMin: 90,
  },
  {
    code: 'medium',
    description: 'Some results and requests, and half of the results can be looked up.',
    eventsMin: 10,
    requestsMin: 30,
    evidencedPercentMin: 50,
    valuedPercentMin: 50,
  },
  {
    code: 'low',
    description: 'Less than that: the decision may turn with the next results.',
    eventsMin: 0,
    requestsMin: 0,
    evidencedPercentMin: 0,
    valuedPercentMin: 0,
  },
]);

/** Whether there is a return, and what stands in its way. */
export const ROI_STATUSES = vocabulary('RoiStatus', 'Whether a return is known.', [
  { code: 'computed', description: 'Both value and cost are known.' },
  { code: 'value_without_cost', description: 'Results, and no cost of real models.' },
  { code: 'cost_without_value', description: 'Cost of real models, and no result.' },
  { code: 'value_not_stated', description: 'Results, of which none states a value.' },
  { code: 'nothing_recorded', description: 'Neither results nor cost of real models.' },
]);

/** Why a return is not known. */
export type RoiStatus = CodeOf<typeof ROI_STATUSES>;

/** Where an assumption of an estimate comes from. */
export const ASSUMPTION_SOURCES = vocabulary('RoiAssumptionSource', 'Who made an assumption.', [
  { code: 'stated', description: 'The caller has stated it.' },
  { code: 'default', description: 'Nobody has stated it; the published default stands in.' },
]);

/** The use case of events and requests that name none. */
export const USE_CASE_DEFAULT = 'default';
/** The longest name of a use case: that of a feature in the metadata of a request. */
export const USE_CASE_LENGTH_MAX = 512;
/** The most results of one event. */
export const QUANTITY_MAX = 1_000_000;
/** A result may lie so many days back. */
export const OCCURRED_DAYS_MAX = 366;
/** Clocks of customers may be so far ahead, in milliseconds. */
export const CLOCK_AHEAD_MS = 300_000;
/** The most money that a field takes: ten billion rubles. */
export const MICRO_MAX = 10_000_000_000n * MICRO_PER_RUB;
/** The most use cases that an answer tells one by one, the most expensive first. */
export const USE_CASES_MAX = 1_000;
