-- A budget for each session, client or key has one row for each of them, made by its first request. The
-- ledger asks them by their ids, so they are no control that nodes remember: what changes them changes
-- the row of their budget as well.
ALTER TABLE budget DROP CONSTRAINT budget_scope_kind_check;
ALTER TABLE budget ADD CONSTRAINT budget_scope_kind_check CHECK (scope_kind IN (
  'policy', 'use_case', 'route', 'partner_client', 'agent_session', 'ephemeral_token',
  'workspace_user', 'key', 'each'));
DROP TRIGGER budget_notify ON budget;
CREATE TRIGGER budget_notify AFTER INSERT OR UPDATE ON budget
  FOR EACH ROW WHEN (
    NEW.scope_kind NOT IN ('policy', 'ephemeral_token', 'workspace_user', 'key', 'each')
    OR NEW.scope_kind = 'key' AND NEW.scope_ref = 'each')
  EXECUTE FUNCTION notify_access_change();
DROP TRIGGER control_change ON budget;
CALL confirm_by_hold('budget', $$
  NEW.scope_kind NOT IN ('ephemeral_token', 'workspace_user', 'key', 'each')
  OR NEW.scope_kind = 'key' AND NEW.scope_ref = 'each'$$);
