-- Plan, class of service level and commit of an organization are dated rows that the operator
-- writes. Nothing is ever changed: the row in force is the latest that has begun, and of rows that
-- begin together the one that was written last.
CREATE TABLE "commercial_terms" (
    "tenant_id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "plan" TEXT NOT NULL,
    "sla_class" TEXT NOT NULL,
    "commit_micro" BIGINT NOT NULL,
    "effective_from" TIMESTAMPTZ(3) NOT NULL,
    "set_by" UUID,
    "reason" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "commercial_terms_pkey" PRIMARY KEY ("tenant_id","seq")
);

CREATE INDEX "commercial_terms_tenant_id_effective_from_seq_idx"
  ON "commercial_terms"("tenant_id", "effective_from" DESC, "seq" DESC);

ALTER TABLE commercial_terms ADD CHECK (sla_class IN ('standard', 'business', 'enterprise'));
ALTER TABLE commercial_terms ADD CHECK (commit_micro >= 0);

CALL make_append_only('commercial_terms');

-- The class of service level is remembered with credentials.
CREATE TRIGGER access_change AFTER INSERT ON commercial_terms
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
