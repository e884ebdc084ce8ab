-- Procurement packs of organizations. What of their documents is generated is made when it is read,
-- from what holds then; a row keeps what people have said: status, answers and exchanged documents.
CREATE TABLE "procurement_pack" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "pack_type" TEXT NOT NULL,
    "legal_name" TEXT,
    "inn" TEXT,
    "status" TEXT NOT NULL,
    "status_note" TEXT,
    "answers" JSONB NOT NULL,
    "edo" JSONB NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "updated_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "procurement_pack_pkey" PRIMARY KEY ("id")
);

CREATE INDEX "procurement_pack_tenant_id_id_idx" ON "procurement_pack" ("tenant_id", "id");

CALL keep_to_tenant('procurement_pack', 'SELECT, INSERT, UPDATE');
