-- Runs and deployments of blueprints; migrations from other providers and their live checks.

-- CreateTable
CREATE TABLE "blueprint_run" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "blueprint_id" TEXT NOT NULL,
    "manifest_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL,
    "input" JSONB NOT NULL,
    "steps" JSONB NOT NULL,
    "cost_micro" BIGINT NOT NULL,
    "fallbacks" INTEGER NOT NULL,
    "business_result" JSONB NOT NULL,
    "receipt_id" UUID NOT NULL,
    "requested_by" UUID NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "blueprint_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "blueprint_deployment" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "blueprint_id" TEXT NOT NULL,
    "manifest_hash" BYTEA NOT NULL,
    "project_id" UUID NOT NULL,
    "decision" TEXT NOT NULL,
    "readiness" JSONB NOT NULL,
    "tests" JSONB NOT NULL,
    "missing_items" JSONB NOT NULL,
    "receipt_id" UUID NOT NULL,
    "requested_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "blueprint_deployment_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "migration_project" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "migration_key" TEXT NOT NULL,
    "project_id" UUID NOT NULL,
    "source_provider" TEXT NOT NULL,
    "source_base_url" TEXT,
    "source_model" TEXT,
    "target_model" TEXT NOT NULL,
    "use_cases" JSONB NOT NULL,
    "mode" TEXT NOT NULL,
    "requires_approval" BOOLEAN NOT NULL,
    "rollback_plan" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "scan" JSONB,
    "comparison" JSONB,
    "receipt_id" UUID,
    "cutover" JSONB,
    "approval_id" UUID,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "migration_project_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "migration_check_run" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "caller_kind" TEXT NOT NULL,
    "caller_id" UUID NOT NULL,
    "status" TEXT NOT NULL,
    "checks" JSONB NOT NULL,
    "cost_micro" BIGINT NOT NULL,
    "request_id" TEXT NOT NULL,
    "started_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "migration_check_run_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "blueprint_run_tenant_id_id_idx" ON "blueprint_run"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "blueprint_run_tenant_id_blueprint_id_id_idx" ON "blueprint_run"("tenant_id", "blueprint_id", "id");

-- CreateIndex
CREATE INDEX "blueprint_deployment_tenant_id_id_idx" ON "blueprint_deployment"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "migration_project_tenant_id_id_idx" ON "migration_project"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "migration_project_tenant_id_migration_key_key" ON "migration_project"("tenant_id", "migration_key");

-- CreateIndex
CREATE INDEX "migration_check_run_tenant_id_id_idx" ON "migration_check_run"("tenant_id", "id");

ALTER TABLE migration_project ADD CHECK (
  status IN ('draft', 'scanned', 'compared', 'ready', 'cut_over', 'rolled_back'));

CALL make_append_only('blueprint_run');
CALL make_append_only('blueprint_deployment');
CALL make_append_only('migration_check_run');
