-- Nodes hold the model aliases of tenants in memory: a new version drops them everywhere.
CREATE TRIGGER contract_version_notify_alias AFTER INSERT ON contract_version
  FOR EACH ROW WHEN (NEW.kind = 'model_alias') EXECUTE FUNCTION notify_access_change();

-- A migration keeps the aliases that its cut-over is to create; those of before have none.
ALTER TABLE "provider_migration" ADD COLUMN "aliases" JSONB NOT NULL DEFAULT '[]';
