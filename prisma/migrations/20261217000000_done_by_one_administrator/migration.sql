-- What one administrator does alone is summed over the accounts of all organizations. These lines are few
-- beside those of requests, and are found without reading one of these.
CREATE INDEX CONCURRENTLY ledger_entry_by_actor ON ledger_entry (actor_id, created_at)
  WHERE type IN ('refund', 'adjustment', 'credit', 'balance_return');
