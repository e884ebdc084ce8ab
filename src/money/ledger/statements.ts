/** A statement that the server parses and plans once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/** The hot path: node, epoch, operations as JSON. One row (i, status, amount, detail) for each. */
export const APPLY: Statement = {
  name: 'ledger_apply',
  text: 'SELECT i, status, amount::text, detail::text FROM ledger_apply($1, $2::bigint, $3::jsonb)',
};

/** A posting: account, request, type, amount, description, actor, charged request. */
export const POST: Statement = {
  name: 'ledger_post',
  text: `SELECT status, posted::text, held::text, version::text
         FROM ledger_post($1::uuid, $2::uuid, $3, $4::bigint, $5, $6::uuid, $7::uuid)`,
};

/** Node and owner; answers the new epoch. */
export const TAKE_OVER: Statement = {
  name: 'ledger_take_over',
  text: 'SELECT ledger_take_over($1, $2::uuid)::text AS epoch',
};

/** Who owns the node now, and whether its epoch was ended. */
export const NODE_STATE: Statement = {
  name: 'ledger_node_state',
  text: `SELECT owner::text, retired_at IS NOT NULL AS retired
         FROM gateway_node WHERE node_id = $1`,
};

/** Node and epoch; answers the milliseconds since the last beat. */
export const BEAT: Statement = {
  name: 'ledger_beat',
  text: 'SELECT ledger_beat($1, $2::bigint) AS gap_ms',
};

/** Ends the epochs of nodes that were not seen for so many milliseconds. */
export const SWEEP: Statement = {
  name: 'ledger_sweep',
  text: 'SELECT ledger_sweep($1::int) AS nodes',
};

/** Node, epoch, limit; answers how many requests of ended epochs were resolved, and how. */
export const RECOVER: Statement = {
  name: 'ledger_recover',
  text: 'SELECT released, finalized, refunded FROM ledger_recover($1, $2::bigint, $3::int)',
};

/** Ends the node's own epoch. */
export const RETIRE: Statement = {
  name: 'ledger_retire',
  text: 'SELECT ledger_retire($1, $2::bigint)',
};
