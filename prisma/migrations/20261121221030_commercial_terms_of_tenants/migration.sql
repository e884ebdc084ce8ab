-- Organizations that are there already begin with what their own row has said so far. The columns
-- of `tenant` stay for nodes of the release before; nothing of this release reads them.
INSERT INTO commercial_terms (tenant_id, plan, sla_class, commit_micro, effective_from, reason)
SELECT id, plan,
  CASE WHEN sla_class IN ('standard', 'business', 'enterprise') THEN sla_class ELSE 'standard' END,
  greatest(commit_micro, 0), created_at, 'Taken over from the registration.'
FROM tenant;
