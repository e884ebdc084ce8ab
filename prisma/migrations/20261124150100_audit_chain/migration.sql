-- The audit trail of a tenant is a chain of hashes. It is made behind the writers, in the order in
-- which their transactions are final, so that no change waits for another one's event: a lock at the
-- insert would be held to the end of each change, in whatever order changes take their locks.
ALTER TABLE "audit_event"
  ADD COLUMN "txid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
  ADD COLUMN "seq" BIGSERIAL NOT NULL;
GRANT USAGE ON SEQUENCE "audit_event_seq_seq" TO gw_app, gw_platform;
CREATE UNIQUE INDEX "audit_event_txid_seq_key" ON "audit_event" ("txid", "seq");
CREATE UNIQUE INDEX "audit_event_tenant_id_id_key" ON "audit_event" ("tenant_id", "id");
DROP INDEX "audit_event_tenant_id_id_idx";

-- The place of an event in the chain of its tenant.
CREATE TABLE "audit_link" (
    "tenant_id" UUID NOT NULL,
    "position" INTEGER NOT NULL CHECK ("position" > 0),
    "event_id" UUID NOT NULL,
    "previous_hash" BYTEA,
    "chain_hash" BYTEA NOT NULL,
    "chained_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "audit_link_pkey" PRIMARY KEY ("tenant_id", "position"),
    CONSTRAINT "audit_link_tenant_id_event_id_fkey" FOREIGN KEY ("tenant_id", "event_id")
      REFERENCES "audit_event" ("tenant_id", "id"),
    CHECK (("position" = 1) = ("previous_hash" IS NULL))
);

CREATE UNIQUE INDEX "audit_link_tenant_id_event_id_key" ON "audit_link" ("tenant_id", "event_id");

CALL make_append_only('audit_link');
CALL keep_to_tenant('audit_link', 'SELECT, INSERT');
