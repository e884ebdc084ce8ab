-- Business results of AI, which are set against what their use case has cost. A result with a
-- reference is claimed once: the unique index refuses the second claim, also when two race.
CREATE TABLE "value_event" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "use_case" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "quantity" INTEGER NOT NULL CHECK ("quantity" > 0),
    "value_micro" BIGINT CHECK ("value_micro" >= 0),
    "external_ref" TEXT,
    "request_id" UUID,
    "occurred_at" TIMESTAMPTZ(3) NOT NULL,
    "recorded_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "value_event_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "value_event_tenant_id_event_type_external_ref_key"
  ON "value_event" ("tenant_id", "event_type", "external_ref");
CREATE INDEX "value_event_tenant_id_id_idx" ON "value_event" ("tenant_id", "id");
CREATE INDEX "value_event_tenant_id_occurred_at_idx" ON "value_event" ("tenant_id", "occurred_at");
CREATE INDEX "value_event_tenant_id_use_case_occurred_at_idx"
  ON "value_event" ("tenant_id", "use_case", "occurred_at");

CALL make_append_only('value_event');
CALL keep_to_tenant('value_event', 'SELECT, INSERT');
