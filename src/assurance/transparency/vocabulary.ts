import { vocabulary } from '../../kernel/vocabulary.js';

/** What signed checkpoints say that they are, and for whom. */
export const CHECKPOINT_STATEMENT = {
  type: 'gw-log-checkpoint+jwt',
  audience: 'gw-log-checkpoint',
} as const;

/** So long a log that grows goes at most without a checkpoint, in milliseconds. */
export const CHECKPOINT_EVERY_MS = 3_600_000;

/** The most leaves that one export holds. */
export const LOG_EXPORT_MAX = 10_000;
/** As many leaves as an export holds that states no number. */
export const LOG_EXPORT_DEFAULT = 1_000;

/** What may submit cosignatures, which anybody may. */
export const SUBMISSIONS_PER_MINUTE = { address: 60, node: 600 } as const;

/**
 * So often a minute a published log is read: by an address, and on a node. A reading takes a
 * signature and the look at a few tiles; a witness reads a log once for each of its checkpoints.
 */
export const READINGS_PER_MINUTE = { address: 240, node: 2_400 } as const;

/** How far the clock of a witness may be off, in seconds. */
export const WITNESS_CLOCK_SECONDS_MAX = 300;

/** How often witnesses are asked for what they have not cosigned, in milliseconds. */
export const ASK_WITNESSES_EVERY_MS = 60_000;

/** The rule, as it is published. */
export const LOG_RULE =
  'The log is a Merkle tree as RFC 6962 says: a leaf hashes to SHA-256(0x00 ‖ text of the leaf), ' +
  'a node to SHA-256(0x01 ‖ left ‖ right). The text of a leaf is the RFC 8785 JSON that the ' +
  'export has as its line. A checkpoint is a JWS (EdDSA) with the claims sub (organization), ' +
  'size, root_sha256 and iat, signed by a key of /.well-known/jwks.json.';

/** What a leaf is made of. */
export const LEAF_KINDS = vocabulary('LogLeafKind', 'What a leaf of the log is made of.', [
  {
    code: 'ledger_entry',
    description: 'A line of the ledger: all that it says, money in micro-rubles as text.',
  },
  {
    code: 'sealed_receipt',
    description: 'A sealed receipt: what stands beside its content, and the hash of that.',
  },
]);
