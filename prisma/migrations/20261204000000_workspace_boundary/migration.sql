-- Keys, members and projects may belong to a workspace, and an organization may require one of every
-- request. Requests of theirs are then made under it, whether or not a header names it.
ALTER TABLE api_key ADD COLUMN workspace_id UUID;
ALTER TABLE api_key ADD CONSTRAINT api_key_tenant_id_workspace_id_fkey
    FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspace (tenant_id, id)
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE app_user ADD COLUMN workspace_id UUID;
ALTER TABLE app_user ADD CONSTRAINT app_user_tenant_id_workspace_id_fkey
    FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspace (tenant_id, id)
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE project ADD COLUMN workspace_id UUID;
ALTER TABLE project ADD CONSTRAINT project_tenant_id_workspace_id_fkey
    FOREIGN KEY (tenant_id, workspace_id) REFERENCES workspace (tenant_id, id)
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE tenant ADD COLUMN workspace_required boolean NOT NULL DEFAULT false;

-- Nothing else of a project changes. A lock of its row takes the right to change a column.
GRANT UPDATE (workspace_id) ON project TO gw_app, gw_platform;

-- All of it is remembered with the caller and holds for the next request on every node. Keys and
-- members notify with each change of their rows already; a new key is remembered by nobody.
CREATE CONSTRAINT TRIGGER control_change_of_workspace AFTER UPDATE OF workspace_id ON api_key
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_control_version();
CREATE CONSTRAINT TRIGGER control_change_of_workspace AFTER UPDATE OF workspace_id ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_control_version();
CREATE CONSTRAINT TRIGGER control_change_of_workspace AFTER UPDATE OF workspace_id ON project
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_control_version();
CREATE TRIGGER workspace_notify AFTER UPDATE OF workspace_id ON project
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();

-- The row of the tenant has its own number: it is raised with the setting.
CREATE FUNCTION raise_own_control_version() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, public, pg_temp AS $$
BEGIN
  NEW.control_version := OLD.control_version + 1;
  RETURN NEW;
END $$;
ALTER FUNCTION raise_own_control_version() OWNER TO gw_owner;
CREATE TRIGGER control_change BEFORE UPDATE OF workspace_required ON tenant
  FOR EACH ROW EXECUTE FUNCTION raise_own_control_version();
CREATE TRIGGER workspace_required_change AFTER UPDATE OF workspace_required ON tenant
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();

-- What belongs to a workspace is looked up by it.
CREATE INDEX api_key_of_workspace ON api_key (tenant_id, workspace_id)
  WHERE workspace_id IS NOT NULL;
