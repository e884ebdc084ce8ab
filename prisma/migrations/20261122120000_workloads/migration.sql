-- Nodes hold the workload contracts of tenants in memory: a new version drops them everywhere.
CREATE TRIGGER contract_version_notify AFTER INSERT ON contract_version
  FOR EACH ROW WHEN (NEW.kind = 'workload_shape') EXECUTE FUNCTION notify_access_change();
