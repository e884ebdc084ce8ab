-- Prompt packages, their unchangeable versions, and where each version stands; context policies.

-- CreateTable
CREATE TABLE "prompt" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "prompt_key" TEXT NOT NULL,
    "owner_team" TEXT,
    "use_case" TEXT,
    "context_policy_id" UUID,
    "context_policy_name" TEXT,
    "current_version" INTEGER,
    "previous_versions" INTEGER[] NOT NULL DEFAULT ARRAY[]::INTEGER[],
    "status" TEXT NOT NULL DEFAULT 'draft',
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "prompt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prompt_version" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "prompt_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "template" TEXT NOT NULL,
    "variables" JSONB NOT NULL,
    "output_schema" JSONB,
    "model_variants" JSONB NOT NULL,
    "samples" JSONB NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "prompt_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "prompt_stage" (
    "prompt_id" UUID NOT NULL,
    "version" INTEGER NOT NULL,
    "tenant_id" UUID NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'draft',
    "receipt_id" UUID,
    "superseded_by" INTEGER,
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "prompt_stage_pkey" PRIMARY KEY ("prompt_id","version")
);

-- CreateTable
CREATE TABLE "context_policy" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "rules" JSONB NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "context_policy_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "prompt_tenant_id_id_idx" ON "prompt"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "prompt_tenant_id_prompt_key_key" ON "prompt"("tenant_id", "prompt_key");

-- CreateIndex
CREATE INDEX "prompt_version_tenant_id_id_idx" ON "prompt_version"("tenant_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "prompt_version_prompt_id_version_key" ON "prompt_version"("prompt_id", "version");

-- CreateIndex
CREATE INDEX "prompt_stage_tenant_id_idx" ON "prompt_stage"("tenant_id");

-- CreateIndex
CREATE INDEX "context_policy_tenant_id_id_idx" ON "context_policy"("tenant_id", "id");

-- AddForeignKey
ALTER TABLE "prompt_version" ADD CONSTRAINT "prompt_version_prompt_id_fkey" FOREIGN KEY ("prompt_id") REFERENCES "prompt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prompt_stage" ADD CONSTRAINT "prompt_stage_prompt_id_fkey" FOREIGN KEY ("prompt_id") REFERENCES "prompt"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "prompt_stage" ADD CONSTRAINT "prompt_stage_prompt_id_version_fkey" FOREIGN KEY ("prompt_id", "version") REFERENCES "prompt_version"("prompt_id", "version") ON DELETE RESTRICT ON UPDATE CASCADE;

ALTER TABLE prompt
  ADD CHECK (status IN ('draft', 'review', 'staging', 'production', 'deprecated'));
ALTER TABLE prompt_stage
  ADD CHECK (status IN ('draft', 'review', 'staging', 'production', 'deprecated'));

-- One version of a prompt serves at a time.
CREATE UNIQUE INDEX prompt_stage_production_key ON prompt_stage (prompt_id)
  WHERE status = 'production';
ALTER TABLE prompt_version ADD CHECK (version > 0);

CALL make_append_only('prompt_version');
CALL make_append_only('context_policy');

-- What each node holds in memory of a tenant's prompts is dropped when any of them changes.
CREATE TRIGGER access_change AFTER INSERT OR UPDATE ON prompt
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CREATE TRIGGER access_change AFTER INSERT OR UPDATE ON prompt_stage
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();

-- Cost and outcome of a prompt version are read from the usage rows that name it.
CREATE INDEX usage_event_prompt_idx ON usage_event
  (tenant_id, (metadata -> 'gw_prompt' ->> 'prompt_id'), (metadata -> 'gw_prompt' ->> 'version'))
  WHERE metadata ? 'gw_prompt';
