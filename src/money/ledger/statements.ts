/** A statement that the server parses and plans once per connection. */
export interface Statement {
  readonly name: string;
  readonly text: string;
}

/**
 * The hot path: node, epoch, accounts where they are several, then charges, marks, holds and all
 * the rest as JSON. A row (lane, i, status, amount, detail) for each that was not done as asked.
 */
export const APPLY_BATCH: Statement = {
  name: 'ledger_apply_batch',
  text: `SELECT lane, i, status, amount::text, detail::text
         FROM ledger_apply_batch($1, $2::bigint, $3::uuid[], $4::jsonb, $5::jsonb, $6::jsonb,
                                 $7::jsonb)`,
};

/**
 * For the connection of the batches: a plan made while the tables were empty must not read them
 * whole when they have grown.
 */
export const PIN_PLANS = `
  SET enable_seqscan = off; SET enable_hashjoin = off; SET enable_mergejoin = off;
  SET plan_cache_mode = force_generic_plan; SET jit = off`;

/** Node, epoch, operations as JSON. One row (i, status, amount, detail) for each. */
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

/** Account and request; how the request stands, and the answer that was kept for its key. */
export const STANDING: Statement = {
  name: 'ledger_standing',
  text: `SELECT h.state, k.answer FROM hold h
         LEFT JOIN kept_answer k ON k.account_id = h.account_id AND k.request_id = h.request_id
         WHERE h.account_id = $1::uuid AND h.request_id = $2::uuid`,
};

/** Node, epoch, age in milliseconds; the open holds of this process that are older. */
export const OPEN_HOLDS: Statement = {
  name: 'ledger_open_holds',
  text: `SELECT account_id, request_id FROM hold
         WHERE node_id = $1 AND epoch = $2::bigint AND state = 'open'
           AND created_at < clock_timestamp() - $3::int * interval '1 ms'`,
};

/** Node, epoch, account, request; true when the hold was open and is released now. */
export const RELEASE_LOST: Statement = {
  name: 'ledger_release_lost',
  text: 'SELECT ledger_release_lost($1, $2::bigint, $3::uuid, $4::uuid) AS released',
};

/** Hours; removes answers that no key can ask for any more. */
export const FORGET_ANSWERS: Statement = {
  name: 'ledger_forget_answers',
  text: 'SELECT ledger_forget_answers($1::int)',
};
