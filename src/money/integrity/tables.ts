import {
  bigInteger,
  code,
  defaulting,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  money,
  object,
  optional,
  periodBegin,
  periodEnd,
  sha256,
  text,
  uuid,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import { MICRO_PER_RUB } from '../../kernel/money.js';
import { PROVENANCES } from '../../kernel/provenance.js';
import {
  COMPLETENESS_DECLARED,
  COMPLETENESS_LIVE,
  DUAL_METER_DECLARED,
  DUAL_METER_LIVE,
  FAULTS_SHOWN_MAX,
  INTEGRITY_BASES,
  INTEGRITY_FAULTS,
  INTEGRITY_VERDICTS,
  REPLAY_DECLARED,
  REPLAY_LIVE,
  ROWS_SEALED,
} from './vocabulary.js';

const COUNT = { min: 0, max: 2_147_483_647 };
const MICRO = { min: 0n, max: 10_000_000_000n * MICRO_PER_RUB };
const PAIRS_MAX = 1_000;

/** Which window is checked, and how. */
export const CHECK_QUESTION = {
  from: optional(periodBegin('From when on; 30 days before the end of the window by default.')),
  to: optional(periodEnd('Until when; now by default.')),
  full: defaulting(
    flag('True to read every row of the window anew, and no proof of earlier; slower.'),
    false,
  ),
} as const;

/** A check as a caller asks for it. */
export type CheckQuestion = { readonly from?: Date | null; readonly to?: Date | null } & {
  readonly full?: boolean | null;
};

const FAULTY_REQUEST = fieldTable(
  'IntegrityFaultyRequest',
  'A request of which ledger and usage do not tell the same.',
  {
    requestId: uuid('The request, by which both traces know it.'),
    faults: list(code(INTEGRITY_FAULTS, 'A fault of it.'), 'What is wrong with it.'),
    chargedMicro: optional(money('What the ledger has charged, VAT included; null for nothing.')),
    usedMicro: optional(money('What its usage row says, VAT included; null without one.')),
    replayedMicro: optional(money('What its tokens cost by the prices of its row; null without.')),
    heldAt: optional(instant('When it was held; null where it never was.')),
    endedAt: optional(instant('When the ledger has charged or released it; null where not.')),
    usedAt: optional(instant('When its usage row was written; null without one.')),
  },
);

const WINDOW = {
  from: instant('The begin of the window.'),
  to: instant('The end of the window; it is not part of it.'),
  basis: code(INTEGRITY_BASES, 'How the window was read.'),
  rowsRead: bigInteger('Lines and rows that were read one by one; the others by proof of an hour.'),
} as const;

const LISTED = {
  faulty: list(
    object(FAULTY_REQUEST, 'A request that is not whole.'),
    `The requests with a fault of this check, by their ids; at most ${FAULTS_SHOWN_MAX}.`,
  ),
} as const;

const REFUSED = {
  reason: optional(text('Why it cannot be certified; null where it can.')),
  needed: list(text('What is missing.'), 'What would lift the refusal; empty where there is none.'),
} as const;

const COMPARED = {
  compared: list(
    text('A column, as `table.column`; `price_row` is the object in `usage_event.prices`.'),
    'The columns that it has compared. The reference says of each how it is checked.',
  ),
} as const;

const SOURCE = {
  provenance: code(PROVENANCES, '`live_measured`: from the lines and rows of the organization.'),
} as const;

const COMPLETENESS_FIGURES = {
  holds: bigInteger('Lines that held funds for a request.'),
  charges: bigInteger('Lines that charged a request.'),
  releases: bigInteger('Lines that released a hold without a charge.'),
  usageRows: bigInteger('Usage rows of requests that were served.'),
  failedRows: bigInteger('Usage rows of requests that failed and cost nothing.'),
  underWay: integer('Requests that are held and may still end.'),
  orphans: integer('Requests of which one of the traces, or the hold, is missing.'),
  doubles: integer('Requests that were held or ended more than once.'),
  danglings: integer('Requests that were held and, long after, not ended.'),
  faultyTotal: integer('Requests with any of these faults, however many are listed.'),
} as const;

/** Completeness of recorded rows. */
export const COMPLETENESS = fieldTable(
  'BillingCompleteness',
  'Whether every charge has its usage, every usage its charge, and every hold its end.',
  {
    verdict: code(COMPLETENESS_LIVE, 'Whether the window is complete.'),
    ...REFUSED,
    ...WINDOW,
    ...COMPLETENESS_FIGURES,
    ...LISTED,
    ...COMPARED,
    ...SOURCE,
  },
);

const METER_FIGURES = {
  pairs: bigInteger('Requests with both a charge and a usage row.'),
  ledgerMicro: money('What the ledger has charged for them.'),
  usageMicro: money('What usage says of them.'),
  differenceMicro: money('Ledger less usage.'),
  mismatches: integer('Requests of which the amount or the tax differs.'),
} as const;

/** The dual meter of recorded rows. */
export const DUAL_METER = fieldTable(
  'BillingDualMeter',
  'What the ledger has charged against what usage says, request by request.',
  {
    verdict: code(DUAL_METER_LIVE, 'Whether both meters tell the same.'),
    ...REFUSED,
    ...WINDOW,
    ...METER_FIGURES,
    ...LISTED,
    ...COMPARED,
    ...SOURCE,
  },
);

const REPLAY_FIGURES = {
  replayedCharges: bigInteger('Charges that were computed again from their usage rows.'),
  ledgerMicro: money('What the ledger, which is authoritative, has charged for them.'),
  replayedMicro: money('What tokens and dated price rows of their usage give.'),
  differenceMicro: money('Ledger less replay.'),
  discrepancies: integer('Charges that do not follow from their usage.'),
} as const;

/** The financial replay of recorded rows. */
export const REPLAY = fieldTable(
  'BillingReplay',
  'Every charge computed again from the tokens and the dated price row of its usage.',
  {
    verdict: code(REPLAY_LIVE, 'Whether the replay gives what was charged.'),
    ...REFUSED,
    ...WINDOW,
    ...REPLAY_FIGURES,
    ...LISTED,
    ...COMPARED,
    ...SOURCE,
  },
);

/** Which period is sealed. */
export const SEAL_INPUT = fieldTable(
  'BillingIntegrityReceiptInput',
  'Which period is sealed: a calendar month of Moscow, or the last that has ended.',
  {
    period: optional(
      text('The month, `YYYY-MM` in Moscow time; the last that has ended by default.'),
    ),
    from: optional(periodBegin('The begin of another period; with `to`, in place of a month.')),
    to: optional(periodEnd('The end of another period; it has to be over for a minute.')),
    full: defaulting(
      flag(
        'True to read a sealed period again: where its rows contradict the receipt, another one ' +
          'is sealed that supersedes it.',
      ),
      false,
    ),
  },
);

/** A period as a caller asks for it. */
export type SealQuestion = ValuesOf<typeof SEAL_INPUT.fields>;

/** The requests that a sealing has named, page by page. */
export const FAULTS_PAGE = fieldTable(
  'IntegrityFaultsPage',
  'Requests that the sealing of a receipt has named, in the order of their ids.',
  {
    requests: list(
      object(FAULTY_REQUEST, 'A request that is not whole.'),
      'The requests of this page.',
    ),
    total: integer('How many there are in all.'),
    nextAfter: optional(uuid('Pass it as `after` for those behind; null where there are none.')),
  },
);

/** Null in a receipt that was sealed before receipts said it. */
const SAID_BY_NEW = {
  rows: optional(code(ROWS_SEALED, 'What the rows themselves say of the period.')),
  alterations: optional(integer('Requests of which a row was changed, added or removed.')),
  missingLines: optional(
    list(
      bigInteger('The number of a line.'),
      `Numbers of lines of the account that are gone; at most ${FAULTS_SHOWN_MAX}.`,
    ),
  ),
  missingLinesTotal: optional(integer('How many lines of the account are gone.')),
  namedTotal: optional(integer('Requests with a fault of any check, however many are listed.')),
  leaves: optional(
    bigInteger('Leaves of the tree: lines, hold rows and usage rows that were read.'),
  ),
  rootSha256: optional(
    sha256('The root of the Merkle tree over them (RFC 6962), which an export repeats.'),
  ),
  witnessed: optional(
    bigInteger('Usage rows that were held against the hash of when they were new.'),
  ),
  logged: optional(bigInteger('Lines that were held against their leaf in the transparency log.')),
  compared: optional(list(text('A column, as `table.column`.'), 'The columns that were compared.')),
  supersedes: optional(uuid('The receipt of the same period that this one supersedes.')),
} as const;

/** What a receipt seals. */
export const RECEIPT_CONTENT = {
  verdict: code(INTEGRITY_VERDICTS, 'The worst word of its checks.'),
  ...REFUSED,
  ...WINDOW,
  completeness: code(COMPLETENESS_LIVE, 'What completeness says of the period.'),
  dualMeter: code(DUAL_METER_LIVE, 'What the dual meter says of the period.'),
  replay: code(REPLAY_LIVE, 'What the financial replay says of the period.'),
  ...COMPLETENESS_FIGURES,
  ...METER_FIGURES,
  replayedCharges: REPLAY_FIGURES.replayedCharges,
  replayedMicro: REPLAY_FIGURES.replayedMicro,
  discrepancies: REPLAY_FIGURES.discrepancies,
  faulty: list(
    object(FAULTY_REQUEST, 'A request that is not whole.'),
    `The requests with a fault of any check, by their ids; at most ${FAULTS_SHOWN_MAX}. All of ` +
      'them are a list of their own.',
  ),
  ...SAID_BY_NEW,
  ...SOURCE,
} as const;

/** Counts that a caller states. */
export const COMPLETENESS_INPUT = fieldTable(
  'BillingCompletenessWhatIfInput',
  'How many requests each of two independent traces tells of, as the caller counts them.',
  {
    ledgerCharges: optional(integer('Requests that the ledger has charged.', COUNT)),
    usageRows: optional(integer('Requests that usage tells of: the second trace.', COUNT)),
    orphans: defaulting(integer('Requests that only one trace tells of.', COUNT), 0),
    doubles: defaulting(integer('Requests that were charged more than once.', COUNT), 0),
    danglings: defaulting(integer('Holds that were never ended.', COUNT), 0),
  },
);

/** Completeness of stated counts. */
export const COMPLETENESS_WHAT_IF = fieldTable(
  'BillingCompletenessWhatIf',
  'What completeness answers on stated counts.',
  {
    verdict: code(COMPLETENESS_DECLARED, 'Whether the stated counts are complete.'),
    ledgerCharges: integer('Requests that the ledger has charged, as stated.'),
    usageRows: integer('Requests that usage tells of, as stated.'),
    faultyTotal: integer('Orphans, doubles and danglings together.'),
  },
);

const STATED_PAIR = fieldTable('StatedMeterPair', 'What both meters say of one request.', {
  requestId: optional(text('What the caller calls the request.', { max: 100 })),
  ledgerMicro: money('What the ledger has charged for it.', MICRO),
  usageMicro: money('What usage says of it.', MICRO),
});

/** Amounts that a caller states, request by request or as one sum of each meter. */
export const DUAL_METER_INPUT = fieldTable(
  'BillingDualMeterWhatIfInput',
  'What two meters say: pairs of amounts, or one sum of each, which counts as one pair.',
  {
    pairs: defaulting(
      list(object(STATED_PAIR, 'A request.'), 'The requests that both meters tell of.', {
        max: PAIRS_MAX,
      }),
      [],
    ),
    ledgerMicro: optional(money('The sum of the ledger; beside pairs it must be theirs.', MICRO)),
    usageMicro: optional(money('The sum of usage; beside pairs it must be theirs.', MICRO)),
  },
);

/** The dual meter of stated amounts. */
export const DUAL_METER_WHAT_IF = fieldTable(
  'BillingDualMeterWhatIf',
  'What the dual meter answers on stated amounts.',
  {
    verdict: code(DUAL_METER_DECLARED, 'Whether both meters tell the same.'),
    pairs: integer('Pairs that were compared.'),
    ledgerMicro: money('The sum of the ledger.'),
    usageMicro: money('The sum of usage.'),
    differenceMicro: money('Ledger less usage.'),
    mismatches: integer('Pairs that differ.'),
    mismatched: list(text('The name of a pair.'), 'The names of pairs that differ, as stated.'),
  },
);

/** Amounts of a replay that a caller states. */
export const REPLAY_INPUT = fieldTable(
  'BillingReplayWhatIfInput',
  'What the ledger has charged, what usage gives when it is computed again, and the tolerance.',
  {
    ledgerMicro: optional(money('What the ledger, which is authoritative, has charged.', MICRO)),
    usageMicro: optional(money('What usage gives when it is computed again.', MICRO)),
    toleranceMicro: defaulting(
      money('How far they may be apart; less than what the ledger has charged.', MICRO),
      0n,
    ),
  },
);

/** The replay of stated amounts. */
export const REPLAY_WHAT_IF = fieldTable(
  'BillingReplayWhatIf',
  'What the financial replay answers on stated amounts.',
  {
    verdict: code(REPLAY_DECLARED, 'Whether the replay is within the tolerance.'),
    ledgerMicro: money('What the ledger has charged, as stated.'),
    usageMicro: money('What usage gives, as stated.'),
    differenceMicro: money('Ledger less usage.'),
    toleranceMicro: money('How far they may be apart.'),
  },
);
