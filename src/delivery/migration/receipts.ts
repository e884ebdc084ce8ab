import {
  code,
  fieldTable,
  list,
  object,
  optional,
  sha256,
  text,
  uuid,
} from '../../kernel/fields/field.js';
import type { SealedContent } from '../../kernel/fields/sealed.js';
import type { Receipt } from '../../records/receipt.js';
import { receiptKind } from '../../records/receipt-kinds.js';
import { COMPARISON_FIELDS, type Comparison } from './comparison-tables.js';
import { CUTOVER_ALIASES, GROUNDS_FIELDS, ROLLBACK_PLAN } from './tables.js';
import { ACTORS, CUTOVER_DECISIONS } from './vocabulary.js';

/** Comparisons: the n-th of a migration under the key `<id>:<n>`. */
export const COMPARISONS = receiptKind({
  kind: 'migration_comparison',
  type: 'MigrationReceipt',
  description:
    'A comparison of the source with the route, sealed: price, quality, latency and what they ' +
    'say about the cutover.',
  content: COMPARISON_FIELDS,
  former: formerComparison,
});

/** A sealed comparison. */
export type ComparisonReceipt = Receipt<Comparison>;

const ACTOR = fieldTable('MigrationCutoverActor', 'Who has cut a migration over.', {
  kind: code(ACTORS, 'Whether it was a member or a key.'),
  id: uuid('The member or the key.'),
});

/** Cutovers that happened. A comparison is cut over once, so its key is theirs too. */
export const CUTOVERS = receiptKind({
  kind: 'migration_cutover',
  type: 'MigrationCutoverReceipt',
  description:
    'A cutover that happened, with the comparison that it rests on and every condition that a ' +
    'member has acknowledged.',
  content: {
    migrationId: uuid('The id of the migration.'),
    migrationKey: text('Your name of the migration.'),
    comparisonReceiptId: uuid('The sealed receipt of the comparison.'),
    comparisonSha256: sha256('SHA-256 of what that receipt says.'),
    comparisonDecision: code(CUTOVER_DECISIONS, 'What the comparison said.'),
    conditions: list(text('A rule.'), 'The rules that made the comparison conditional.'),
    ...GROUNDS_FIELDS,
    rollbackPlan: object(ROLLBACK_PLAN, 'The way back as it was planned.'),
    aliases: CUTOVER_ALIASES,
    approvalId: optional(uuid('The approval that let it happen; null where none was needed.')),
    cutOverBy: object(ACTOR, 'Who asked for it, or the member who approved it.'),
  },
  former: (content) => ({ aliases: [], ...content }),
});

/**
 * Comparisons once held quality as one object, and spelt prices `…_per_1m_rub`; the earliest did
 * not tell simulated answers.
 */
function formerComparison(content: SealedContent): SealedContent {
  if (typeof content.quality === 'string') return content;
  const {
    quality,
    evaluation,
    source_cost_per_1m_rub: source_cost_per1m_rub = null,
    route_cost_per_1m_rub: route_cost_per1m_rub = null,
    ...same
  } = content;
  const { verdict, delta, delta_percent, ...evidence } = quality as SealedContent;
  const run = evaluation as SealedContent | null;
  const results = (run?.results ?? []) as readonly SealedContent[];
  return {
    simulated: false,
    ...same,
    source_cost_per1m_rub,
    route_cost_per1m_rub,
    quality: verdict ?? null,
    quality_delta: delta ?? null,
    quality_delta_percent: delta_percent ?? null,
    quality_evidence: evidence,
    evaluation: run && {
      simulated: false,
      ...run,
      results: results.map((result) => ({ simulated: false, ...result })),
    },
  };
}
