-- "Project" is the part of an organization that keys belong to; a migration from another provider
-- is not one. Nothing has read its comparison since the receipt holds it.
ALTER TABLE "migration_project" RENAME TO "provider_migration";
ALTER TABLE "provider_migration" RENAME CONSTRAINT "migration_project_pkey" TO "provider_migration_pkey";
ALTER INDEX "migration_project_tenant_id_id_idx" RENAME TO "provider_migration_tenant_id_id_idx";
ALTER INDEX "migration_project_tenant_id_migration_key_key"
  RENAME TO "provider_migration_tenant_id_migration_key_key";
ALTER TABLE "provider_migration" DROP COLUMN "comparison";
