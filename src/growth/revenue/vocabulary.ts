import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a score is made of; each part counts up to `pointsMax`. */
export const DIMENSIONS = vocabulary('RevenueDimension', 'A part of the score of an account.', [
  { code: 'fit', description: 'Whether it is a customer for whom this is made.', pointsMax: 25 },
  { code: 'intent', description: 'Whether it wants to buy.', pointsMax: 25 },
  { code: 'usage', description: 'Whether it uses what it has.', pointsMax: 25 },
  {
    code: 'trust',
    description: 'Whether it has looked at what it takes to rely on it.',
    pointsMax: 25,
  },
]);

/** A part of a score. */
export type Dimension = CodeOf<typeof DIMENSIONS>;

/** What a product tells of a lead, with the points that it adds, at most `countMax` times. */
export const LEAD_EVENTS = vocabulary('RevenueEventType', 'What a product tells of a lead.', [
  {
    code: 'first_workflow',
    description: 'The first workflow ran.',
    dimension: 'usage',
    points: 5,
    countMax: 1,
  },
  {
    code: 'repeat_workflow',
    description: 'A workflow ran on another day again.',
    dimension: 'usage',
    points: 3,
    countMax: 3,
  },
  {
    code: 'team_invited',
    description: 'Members of a team were invited.',
    dimension: 'fit',
    points: 10,
    countMax: 1,
  },
  {
    code: 'second_department',
    description: 'A second department uses it.',
    dimension: 'fit',
    points: 15,
    countMax: 1,
  },
  {
    code: 'roi_receipt',
    description: 'A return was shown to somebody.',
    dimension: 'intent',
    points: 10,
    countMax: 1,
  },
  {
    code: 'pricing_viewed',
    description: 'Prices were looked at.',
    dimension: 'intent',
    points: 2,
    countMax: 3,
  },
  {
    code: 'budget_cap_hit',
    description: 'A budget was used up.',
    dimension: 'intent',
    points: 3,
    countMax: 3,
  },
  {
    code: 'procurement_started',
    description: 'Somebody asked for documents to buy by.',
    dimension: 'intent',
    points: 15,
    countMax: 1,
  },
  {
    code: 'security_review_requested',
    description: 'A review of security was asked for.',
    dimension: 'trust',
    points: 10,
    countMax: 1,
  },
  {
    code: 'production_cutover',
    description: 'Live traffic was moved here.',
    dimension: 'trust',
    points: 15,
    countMax: 1,
  },
]);

/** An event of a lead. */
export type LeadEvent = CodeOf<typeof LEAD_EVENTS>;

/** Points of usage for answers of the last 30 days: the first row whose minimum is reached. */
export const USAGE_STEPS = vocabulary('RevenueUsageStep', 'Points for measured usage.', [
  { code: 'heavy', description: 'A thousand answers or more.', requestsMin: 1_000, points: 20 },
  { code: 'regular', description: 'A hundred answers or more.', requestsMin: 100, points: 15 },
  { code: 'light', description: 'At least one answer.', requestsMin: 1, points: 5 },
  { code: 'none', description: 'No answer of a real model.', requestsMin: 0, points: 0 },
]);

/** What is done about an account. */
export const SALES_TASKS = vocabulary('RevenueTask', 'What is done about an account.', [
  { code: 'nurture', description: 'Send material; nobody calls.' },
  { code: 'onboarding_session', description: 'Set up the next workflow together.' },
  { code: 'roi_review', description: 'Go through the measured return together.' },
  { code: 'offer_next_package', description: 'Offer the package that has room for the usage.' },
  { code: 'send_proposal', description: 'Send a quote with the return and the documents to buy.' },
  { code: 'send_security_pack', description: 'Send the vendor pack and answer the questionnaire.' },
  { code: 'expansion_workshop', description: 'Plan the next departments with their heads.' },
  { code: 'close_contract', description: 'Agree on the contract.' },
  { code: 'customer_success', description: 'Look after a customer that has bought.' },
  { code: 'ask_for_reason', description: 'Ask once why it was not bought, and leave it.' },
]);

/**
 * How far an account is. Those with `scoreMin` follow from the score, the highest that is reached;
 * `won` and `lost` follow from how signals were closed. Probabilities are published assumptions.
 */
export const STAGES = vocabulary('RevenueStage', 'How far an account is.', [
  {
    code: 'lead',
    description: 'It is known, and does little.',
    scoreMin: 0,
    probabilityPercent: 5,
    task: 'nurture',
  },
  {
    code: 'engaged',
    description: 'It tries things out.',
    scoreMin: 20,
    probabilityPercent: 10,
    task: 'onboarding_session',
  },
  {
    code: 'qualified',
    description: 'A product-qualified lead.',
    scoreMin: 40,
    probabilityPercent: 25,
    task: 'roi_review',
  },
  {
    code: 'sales_ready',
    description: 'It can be talked to about buying.',
    scoreMin: 60,
    probabilityPercent: 50,
    task: 'send_proposal',
  },
  {
    code: 'committed',
    description: 'It does everything that buyers do.',
    scoreMin: 80,
    probabilityPercent: 75,
    task: 'close_contract',
  },
  {
    code: 'won',
    description: 'Its last closed signal was won.',
    scoreMin: null,
    probabilityPercent: 100,
    task: 'customer_success',
  },
  {
    code: 'lost',
    description: 'Its last closed signal was lost, and none is open.',
    scoreMin: null,
    probabilityPercent: 0,
    task: 'ask_for_reason',
  },
]);

/** How far an account is. */
export type Stage = CodeOf<typeof STAGES>;

/** Whether an account could be scored. */
export const SCORE_VERDICTS = vocabulary('RevenueScoreVerdict', 'Whether there is a score.', [
  { code: 'scored', description: 'There are events or usage to score it by.' },
  { code: 'cannot_score', description: 'There is neither, so there is no score and no stage.' },
]);

/**
 * What events amount to: all that `needs` lists within `withinDays`. An event counts once for a
 * rule.
 */
export const SIGNAL_RULES = vocabulary('RevenueSignalRule', 'What events amount to.', [
  {
    code: 'cap_pressure',
    description: 'A budget was used up three times within seven days.',
    needs: [{ event: 'budget_cap_hit', count: 3 }],
    withinDays: 7,
    task: 'offer_next_package',
    dueDays: 2,
  },
  {
    code: 'roi_and_procurement',
    description: 'A return was shown and documents to buy by were asked for, within 30 days.',
    needs: [
      { event: 'roi_receipt', count: 1 },
      { event: 'procurement_started', count: 1 },
    ],
    withinDays: 30,
    task: 'send_proposal',
    dueDays: 1,
  },
  {
    code: 'second_department',
    description: 'A second department uses it.',
    needs: [{ event: 'second_department', count: 1 }],
    withinDays: 1,
    task: 'expansion_workshop',
    dueDays: 5,
  },
  {
    code: 'security_interest',
    description: 'Prices were looked at and a review of security was asked for, within 14 days.',
    needs: [
      { event: 'pricing_viewed', count: 1 },
      { event: 'security_review_requested', count: 1 },
    ],
    withinDays: 14,
    task: 'send_security_pack',
    dueDays: 2,
  },
  {
    code: 'team_activation',
    description: 'The first workflow ran and a team was invited, within 14 days.',
    needs: [
      { event: 'first_workflow', count: 1 },
      { event: 'team_invited', count: 1 },
    ],
    withinDays: 14,
    task: 'onboarding_session',
    dueDays: 3,
  },
]);

/** How a signal stands. */
export const SIGNAL_STATUSES = vocabulary('RevenueSignalStatus', 'How a signal stands.', [
  { code: 'open', description: 'Nobody has closed it.' },
  { code: 'won', description: 'The account has bought.' },
  { code: 'lost', description: 'The account has not bought.' },
  { code: 'dismissed', description: 'The events meant nothing.' },
]);

/** How a signal is closed. */
export const RESOLUTIONS = vocabulary(
  'RevenueSignalResolution',
  'How a signal is closed.',
  SIGNAL_STATUSES.rows.filter((row) => row.code !== 'open'),
);

/** The account that is the organization itself. */
export const OWN_ACCOUNT = 'own';
/** The longest reference of an account, client or partner. */
export const REF_LENGTH_MAX = 256;
/** Events count for so many days, in scores and for signals. */
export const EVENT_DAYS = 90;
/** Usage is measured over so many days, which stand for a month. */
export const USAGE_DAYS = 30;
/** The most accounts, and the most signals, that a pipeline tells one by one. */
export const PIPELINE_MAX = { accounts: 200, signals: 20 } as const;
