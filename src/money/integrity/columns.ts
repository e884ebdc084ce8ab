import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';
import type { INTEGRITY_CHECKS } from './vocabulary.js';

/** How a column of the books is held to account. */
export const INTEGRITY_COVERAGES = vocabulary(
  'IntegrityCoverage',
  'How a column of the books is held to account when a period is sealed.',
  [
    { code: 'recomputed', description: 'It is computed again from other columns.' },
    { code: 'compared', description: 'It is compared with other rows of the same request.' },
    {
      code: 'hashed',
      description:
        'It is part of a hash that was taken when the row was new: for a line the leaf of the ' +
        'transparency log, for a usage row its witness.',
    },
    {
      code: 'not_certified',
      description: 'It changes while the gateway works, and says nothing of what was billed.',
    },
  ],
);

/** The tables whose rows a seal reads; `price_row` is the object in `usage_event.prices`. */
export type BookTable = 'usage_event' | 'ledger_entry' | 'hold' | 'price_row';

type Check = CodeOf<typeof INTEGRITY_CHECKS>;
/** How the leaf of a row spells a column. */
export type Spelling = 'id' | 'optional_id' | 'text' | 'number' | 'big' | 'time' | 'json';

/** A column of the books. */
export interface BookColumn {
  /** `table.column`. */
  readonly code: string;
  /** What it is checked against. */
  readonly description: string;
  readonly coverage: readonly CodeOf<typeof INTEGRITY_COVERAGES>[];
  /** The live checks that compare it. */
  readonly checks: readonly Check[];
  /** Absent for columns that no leaf of a seal holds. */
  readonly spelling?: Spelling;
}

const HASHED = ['hashed'] as const;
const ALL_HASHED = ['compared', 'hashed'] as const;
const AGAIN = ['recomputed', 'hashed'] as const;
const BOTH = ['recomputed', 'compared', 'hashed'] as const;

type Line = readonly [
  column: string,
  spelling: Spelling | undefined,
  coverage: BookColumn['coverage'],
  description: string,
  checks?: readonly Check[],
];

const WITNESSED = 'Held against the witness of the row.';
const LOGGED = 'Held against the leaf of the transparency log.';
const EVERY: readonly Check[] = ['completeness', 'dual_meter', 'replay'];
const TOKENS = 'Times its price, one of the five parts of the amount.';
const PRICE = 'Times its tokens, one of the five parts of the amount.';

/** The columns of a usage row. */
const USAGE: readonly Line[] = [
  ['tenant_id', 'id', ALL_HASHED, 'The organization of its account and of its lines.', EVERY],
  ['id', 'id', ALL_HASHED, 'The request of its hold and of its charge or release.', EVERY],
  ['seq', 'big', HASHED, WITNESSED],
  ['txid', 'big', HASHED, WITNESSED],
  ['account_id', 'id', ALL_HASHED, 'The account of the organization.'],
  ['project_id', 'id', HASHED, WITNESSED],
  ['key_id', 'optional_id', HASHED, WITNESSED],
  ['user_id', 'optional_id', HASHED, WITNESSED],
  ['operation', 'text', HASHED, WITNESSED],
  ['requested_model', 'text', HASHED, WITNESSED],
  ['model', 'text', HASHED, WITNESSED],
  ['provider', 'text', HASHED, WITNESSED],
  ['route', 'text', HASHED, WITNESSED],
  ['simulated', 'number', HASHED, WITNESSED],
  ['feature', 'text', HASHED, WITNESSED],
  ['environment', 'text', HASHED, WITNESSED],
  ['client_id', 'text', HASHED, WITNESSED],
  ['input_uncached', 'number', AGAIN, TOKENS, ['replay']],
  ['input_cached', 'number', AGAIN, TOKENS, ['replay']],
  ['cache_write', 'number', AGAIN, TOKENS, ['replay']],
  ['output_text', 'number', AGAIN, TOKENS, ['replay']],
  ['output_reasoning', 'number', AGAIN, TOKENS, ['replay']],
  ['raw_usage', 'json', HASHED, WITNESSED],
  ['usage_source', 'text', HASHED, WITNESSED],
  ['prices', 'json', AGAIN, 'The price row: see the columns of `price_row`.', ['replay']],
  ['cost_micro', 'big', ALL_HASHED, 'The amount and what its hold could not collect.'],
  [
    'amount_micro',
    'big',
    BOTH,
    'The charge of the ledger, and tokens times prices.',
    ['dual_meter', 'replay'],
  ],
  [
    'vat_rate_basis_points',
    'number',
    BOTH,
    'The rate of the charge, and a rate in force when it was supplied.',
    ['dual_meter'],
  ],
  ['vat_micro', 'big', BOTH, 'The tax of the charge, and that inside the amount.', ['dual_meter']],
  ['status', 'text', ALL_HASHED, 'Served with a charge, failed with a release.', ['completeness']],
  ['error_code', 'text', HASHED, WITNESSED],
  ['http_status', 'number', HASHED, WITNESSED],
  ['finish_reason', 'text', HASHED, WITNESSED],
  ['streamed', 'number', HASHED, WITNESSED],
  ['latency_ms', 'number', HASHED, WITNESSED],
  ['time_to_first_token_ms', 'number', HASHED, WITNESSED],
  ['upstream_ms', 'number', HASHED, WITNESSED],
  ['overhead_us', 'number', HASHED, WITNESSED],
  ['attempts', 'number', HASHED, WITNESSED],
  ['policy_versions', 'json', HASHED, WITNESSED],
  ['data_class', 'text', HASHED, WITNESSED],
  ['firewall_findings', 'json', HASHED, WITNESSED],
  ['metadata', 'json', HASHED, WITNESSED],
  ['created_at', 'time', ALL_HASHED, 'The time of the line that ended the request.', ['replay']],
];

/** The columns of a ledger line, whose leaf is that of the transparency log. */
const ENTRY: readonly Line[] = [
  ['account_id', 'id', ALL_HASHED, 'The account of the organization.'],
  ['account_version', 'big', ALL_HASHED, 'The next number of its account, without a gap.'],
  ['seq', undefined, ['not_certified'], 'Where readers of the journal go on.'],
  ['txid', undefined, ['not_certified'], 'Where readers of the journal go on.'],
  ['tenant_id', 'id', ALL_HASHED, 'The organization of its account and of its usage.', EVERY],
  ['type', 'text', ALL_HASHED, 'A hold and one end for each request.', EVERY],
  ['request_id', 'id', ALL_HASHED, 'The request of its hold row and of its usage row.', EVERY],
  ['charged_request_id', 'optional_id', ALL_HASHED, 'The hold row that counts the refund.'],
  ['contra', 'text', AGAIN, 'Follows from the type of the line.'],
  [
    'amount_micro',
    'big',
    BOTH,
    'Usage, tokens times prices, and the hold row say the same.',
    ['dual_meter', 'replay'],
  ],
  ['posted_delta', 'big', AGAIN, 'Follows from type and amount.'],
  ['held_delta', 'big', BOTH, 'Follows from type and the amount of the hold row.'],
  ['posted_after', 'big', AGAIN, 'The balance before it and its own change.'],
  ['held_after', 'big', AGAIN, 'What was held before it and its own change.'],
  [
    'vat_rate_basis_points',
    'number',
    BOTH,
    'The rate of the usage row, and a rate in force when it was supplied.',
    ['dual_meter', 'replay'],
  ],
  [
    'vat_micro',
    'big',
    BOTH,
    'The tax of the usage row, and that inside the amount by the rate.',
    ['dual_meter', 'replay'],
  ],
  ['description', 'text', HASHED, LOGGED],
  ['actor_id', 'optional_id', HASHED, LOGGED],
  ['created_at', 'time', ALL_HASHED, 'The times of the hold row and of the usage row.'],
];

/** The columns of a hold row. Only what never changes is in its leaf. */
const HOLD: readonly Line[] = [
  ['account_id', 'id', ['compared'], 'The account of the hold line.'],
  ['request_id', 'id', ['compared'], 'The request of the hold line.'],
  ['tenant_id', 'id', ['compared'], 'The organization of the hold line.'],
  ['amount_micro', 'big', ['compared'], 'The amount of the hold line; at least the charge.'],
  ['state', undefined, ['compared'], 'What the lines of the request say of its end.'],
  ['charged_micro', undefined, ['compared'], 'The amount of the charge.'],
  ['uncollected_micro', undefined, ['compared'], 'The cost of the usage row less its amount.'],
  ['refunded_micro', undefined, ['compared'], 'The refunds of the charge.'],
  ['budget_ids', undefined, ['not_certified'], 'Caps that the request counts against.'],
  ['period_starts', undefined, ['not_certified'], 'Periods of those caps.'],
  ['node_id', undefined, ['not_certified'], 'The process that last changed the row.'],
  ['epoch', undefined, ['not_certified'], 'The epoch of that process.'],
  ['checkpoint_micro', undefined, ['not_certified'], 'What recovery charges; of open holds.'],
  ['checkpoint_usage', undefined, ['not_certified'], 'What recovery records; of open holds.'],
  ['created_at', 'time', ['compared'], 'The time of the hold line.'],
];

/** The members of a price row. */
const PRICES: readonly Line[] = [
  [
    'effective_from',
    undefined,
    BOTH,
    'A day that has begun when the request is charged.',
    ['replay'],
  ],
  ['input_uncached', undefined, AGAIN, PRICE, ['replay']],
  ['input_cached', undefined, AGAIN, PRICE, ['replay']],
  ['cache_write', undefined, AGAIN, PRICE, ['replay']],
  ['output_text', undefined, AGAIN, PRICE, ['replay']],
  ['output_reasoning', undefined, AGAIN, PRICE, ['replay']],
];

function columnsOf(table: BookTable, lines: readonly Line[]): BookColumn[] {
  return lines.map(([column, spelling, coverage, description, checks = []]) => ({
    code: `${table}.${column}`,
    description,
    coverage,
    checks,
    spelling,
  }));
}

/**
 * Every column of the books and how it is checked: what the leaves of a seal hold, what an answer
 * says that it has compared and what the reference publishes follow from this list.
 */
export const BOOK_COLUMNS: readonly BookColumn[] = [
  ...columnsOf('usage_event', USAGE),
  ...columnsOf('ledger_entry', ENTRY),
  ...columnsOf('hold', HOLD),
  ...columnsOf('price_row', PRICES),
];

/** The columns that a live check compares. */
export function comparedBy(check: Check): readonly string[] {
  return BOOK_COLUMNS.filter(({ checks }) => checks.includes(check)).map(({ code }) => code);
}

/** The columns that a seal holds to account. */
export const SEALED_COLUMNS: readonly string[] = BOOK_COLUMNS.filter(
  ({ coverage }) => !coverage.includes('not_certified'),
).map(({ code }) => code);

/** What the leaf of a row of a table holds, by column. */
export function spelledColumns(table: BookTable): ReadonlyMap<string, Spelling> {
  const prefix = `${table}.`;
  return new Map(
    BOOK_COLUMNS.flatMap(({ code, spelling }): (readonly [string, Spelling])[] =>
      code.startsWith(prefix) && spelling ? [[code.slice(prefix.length), spelling]] : [],
    ),
  );
}
