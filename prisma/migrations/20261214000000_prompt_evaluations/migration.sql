-- Cases that versions of a prompt are judged on, runs of a version over them, and how each case
-- ended. The gate of a prompt judges these rows.

CREATE TABLE "prompt_case_set" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "prompt_id" UUID NOT NULL,
    "version" INTEGER NOT NULL CHECK (version > 0),
    "description" TEXT,
    "pass_share_min" DOUBLE PRECISION NOT NULL CHECK (pass_share_min BETWEEN 0 AND 1),
    "significance" DOUBLE PRECISION NOT NULL CHECK (significance BETWEEN 0 AND 1),
    "cases" JSONB,
    "case_count" INTEGER NOT NULL CHECK (case_count > 0),
    "content_hash" BYTEA NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "prompt_case_set_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "prompt_case_set_tenant_id_prompt_id_fkey" FOREIGN KEY ("tenant_id", "prompt_id")
      REFERENCES "prompt"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "prompt_case_set_tenant_id_id_key" ON "prompt_case_set"("tenant_id", "id");
CREATE UNIQUE INDEX "prompt_case_set_prompt_id_version_key"
  ON "prompt_case_set"("prompt_id", "version");
CREATE INDEX "prompt_case_set_tenant_id_prompt_id_id_idx"
  ON "prompt_case_set"("tenant_id", "prompt_id", "id");

CALL make_append_only('prompt_case_set');
CALL keep_to_tenant('prompt_case_set', 'SELECT, INSERT');
CALL seal_columns('prompt_case_set', ARRAY['cases']);

CREATE TABLE "prompt_evaluation" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "prompt_id" UUID NOT NULL,
    "prompt_version" INTEGER NOT NULL,
    "content_hash" BYTEA NOT NULL,
    "case_set_id" UUID NOT NULL,
    "case_set_version" INTEGER NOT NULL,
    "case_set_hash" BYTEA NOT NULL,
    "targets" JSONB NOT NULL,
    "budget_micro" BIGINT NOT NULL CHECK (budget_micro > 0),
    "status" TEXT NOT NULL DEFAULT 'running'
      CHECK (status IN ('running', 'completed', 'failed', 'cancelled')),
    "failure" TEXT CHECK (failure IN ('node_lost', 'budget_exhausted', 'internal')),
    "results_planned" INTEGER NOT NULL,
    "results_ended" INTEGER NOT NULL DEFAULT 0,
    "results_passed" INTEGER NOT NULL DEFAULT 0,
    "results_failed" INTEGER NOT NULL DEFAULT 0,
    "results_unproved" INTEGER NOT NULL DEFAULT 0,
    "cost_micro" BIGINT NOT NULL DEFAULT 0,
    "receipt_id" UUID,
    "requested_by" UUID NOT NULL,
    "request_id" TEXT NOT NULL,
    "cancel_requested_at" TIMESTAMPTZ(3),
    "alive_until" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "prompt_evaluation_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "prompt_evaluation_tenant_id_case_set_id_fkey"
      FOREIGN KEY ("tenant_id", "case_set_id")
      REFERENCES "prompt_case_set"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE,
    CHECK ((status = 'running') = (ended_at IS NULL)),
    CHECK ((status = 'running') = (receipt_id IS NULL)),
    CHECK ((status = 'failed') = (failure IS NOT NULL))
);

CREATE UNIQUE INDEX "prompt_evaluation_tenant_id_id_key" ON "prompt_evaluation"("tenant_id", "id");
CREATE INDEX "prompt_evaluation_tenant_id_prompt_id_id_idx"
  ON "prompt_evaluation"("tenant_id", "prompt_id", "id");
CREATE INDEX "prompt_evaluation_alive_until_idx" ON "prompt_evaluation"("alive_until")
  WHERE status = 'running';

CALL keep_to_tenant('prompt_evaluation', 'SELECT, INSERT, UPDATE');

CREATE TABLE "prompt_evaluation_result" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "evaluation_id" UUID NOT NULL,
    "place" INTEGER NOT NULL,
    "case_index" INTEGER NOT NULL,
    "case_name" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "answered_model" TEXT,
    "request_id" UUID,
    "judge_request_ids" UUID[] NOT NULL,
    "outcome" TEXT NOT NULL CHECK (outcome IN ('passed', 'failed', 'unproved')),
    "error_code" TEXT,
    "schema_valid" BOOLEAN,
    "grades" JSONB NOT NULL,
    "output_hash" BYTEA,
    "output_chars" INTEGER,
    "cost_micro" BIGINT NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "simulated" BOOLEAN NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "prompt_evaluation_result_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "prompt_evaluation_result_tenant_id_evaluation_id_fkey"
      FOREIGN KEY ("tenant_id", "evaluation_id")
      REFERENCES "prompt_evaluation"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);

CREATE UNIQUE INDEX "prompt_evaluation_result_evaluation_id_place_key"
  ON "prompt_evaluation_result"("evaluation_id", "place");
CREATE INDEX "prompt_evaluation_result_tenant_id_evaluation_id_id_idx"
  ON "prompt_evaluation_result"("tenant_id", "evaluation_id", "id");

CALL make_append_only('prompt_evaluation_result');
CALL keep_to_tenant('prompt_evaluation_result', 'SELECT, INSERT');
