-- An organization may have a cap for each of very many sessions. What reads all of its budgets passes
-- over their rows by this index.
CREATE INDEX CONCURRENTLY budget_not_of_each ON budget (tenant_id) WHERE scope_kind <> 'each';
