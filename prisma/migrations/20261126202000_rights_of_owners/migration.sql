-- The rights of a key follow the role of the member who owns it, and the key ends with the
-- membership. They are remembered with the key, so a hold asks whether they have changed.
CREATE CONSTRAINT TRIGGER control_change AFTER UPDATE OF role, status ON app_user
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION raise_control_version();
