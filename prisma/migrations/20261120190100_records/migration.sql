-- What every context records the same way: receipts, contracts, journals, approvals, audit, feeds.

-- CreateTable
CREATE TABLE "sealed_receipt" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "seal_key" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "content" TEXT NOT NULL,
    "sha256" BYTEA NOT NULL,
    "previous_hash" BYTEA,
    "chain_hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "sealed_receipt_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "contract_version" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "contract_key" TEXT NOT NULL,
    "version" INTEGER NOT NULL,
    "body" JSONB NOT NULL,
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "contract_version_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "journal_entry" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "value" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "external_ref" TEXT,
    "body" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "journal_entry_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "approval" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "summary" TEXT NOT NULL,
    "shown" JSONB NOT NULL,
    "shown_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "requested_by" UUID NOT NULL,
    "accountable_id" UUID,
    "decided_by" UUID,
    "self_approved" BOOLEAN NOT NULL DEFAULT false,
    "reason" TEXT,
    "execution" TEXT NOT NULL DEFAULT 'none',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "execute_after" TIMESTAMPTZ(3),
    "execution_error" TEXT,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "decided_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "approval_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_event" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "actor_kind" TEXT NOT NULL,
    "actor_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "subject" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "before_hash" BYTEA,
    "after_hash" BYTEA,
    "request_id" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "audit_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_record" (
    "tenant_id" UUID NOT NULL,
    "actor_id" UUID NOT NULL,
    "key" TEXT NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'running',
    "request_id" TEXT NOT NULL,
    "first_request_id" TEXT NOT NULL,
    "node_id" TEXT NOT NULL,
    "http_status" INTEGER,
    "content_type" TEXT,
    "answer" BYTEA,
    "renewed_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "idempotency_record_pkey" PRIMARY KEY ("tenant_id","actor_id","key")
);

-- CreateTable
CREATE TABLE "feed_event" (
    "seq" BIGSERIAL NOT NULL,
    "txid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "feed" TEXT NOT NULL,
    "type" TEXT NOT NULL,
    "subject_id" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "feed_event_pkey" PRIMARY KEY ("seq")
);

-- CreateIndex
CREATE INDEX "sealed_receipt_tenant_id_kind_position_idx" ON "sealed_receipt"("tenant_id", "kind", "position");

-- CreateIndex
CREATE UNIQUE INDEX "sealed_receipt_tenant_id_kind_seal_key_key" ON "sealed_receipt"("tenant_id", "kind", "seal_key");

-- CreateIndex
CREATE UNIQUE INDEX "sealed_receipt_tenant_id_position_key" ON "sealed_receipt"("tenant_id", "position");

-- CreateIndex
CREATE UNIQUE INDEX "contract_version_tenant_id_kind_contract_key_version_key" ON "contract_version"("tenant_id", "kind", "contract_key", "version");

-- CreateIndex
CREATE INDEX "journal_entry_tenant_id_kind_created_at_idx" ON "journal_entry"("tenant_id", "kind", "created_at");

-- CreateIndex
CREATE INDEX "journal_entry_tenant_id_kind_subject_created_at_idx" ON "journal_entry"("tenant_id", "kind", "subject", "created_at");

-- CreateIndex
CREATE UNIQUE INDEX "journal_entry_tenant_id_kind_external_ref_key" ON "journal_entry"("tenant_id", "kind", "external_ref");

-- CreateIndex
CREATE INDEX "approval_tenant_id_status_id_idx" ON "approval"("tenant_id", "status", "id");

-- CreateIndex
CREATE INDEX "audit_event_tenant_id_id_idx" ON "audit_event"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "audit_event_tenant_id_subject_subject_id_id_idx" ON "audit_event"("tenant_id", "subject", "subject_id", "id");

-- CreateIndex
CREATE INDEX "idempotency_record_expires_at_idx" ON "idempotency_record"("expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "feed_event_id_key" ON "feed_event"("id");

-- CreateIndex
CREATE INDEX "feed_event_tenant_id_feed_txid_seq_idx" ON "feed_event"("tenant_id", "feed", "txid", "seq");

CALL make_append_only('sealed_receipt');
CALL make_append_only('contract_version');
CALL make_append_only('journal_entry');
CALL make_append_only('audit_event');
CALL make_append_only('feed_event');

-- The chain hash of a receipt covers the chain before it, its content and what its row says about
-- it, so that no column can be edited unseen. The seal key stands last: it alone is free text.
CREATE FUNCTION receipt_chain_hash(
  previous_hash bytea, content_hash bytea, tenant_id uuid, position_in_chain bigint, id uuid,
  kind text, created_at timestamptz, seal_key text
) RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT sha256(coalesce(previous_hash, ''::bytea) || content_hash || convert_to(
    concat_ws(E'\n', tenant_id, position_in_chain, id, kind,
      to_char(created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), seal_key), 'UTF8'))
$$;

-- The database itself refuses a receipt whose hash is wrong.
ALTER TABLE sealed_receipt ADD CHECK (sha256 = sha256(convert_to(content, 'UTF8')));
ALTER TABLE sealed_receipt ADD CHECK (chain_hash = receipt_chain_hash(
  previous_hash, sha256, tenant_id, position, id, kind, created_at, seal_key));
ALTER TABLE sealed_receipt ADD CHECK ((position = 1) = (previous_hash IS NULL) AND position > 0);
ALTER TABLE sealed_receipt ADD CHECK (kind ~ '^[a-z][a-z0-9_.-]*$');

-- Seals once by (tenant, kind, key). One tenant's seals stand in line from here to the end of the
-- transaction, because each needs the chain hash before it. Under READ COMMITTED every statement
-- of this function sees what was committed before it, so the second look finds a racer's receipt.
CREATE FUNCTION seal_receipt(
  new_id uuid, of_tenant uuid, of_kind text, with_key text, canonical text,
  OUT receipt_id uuid, OUT already_sealed boolean
) LANGUAGE plpgsql AS $$
DECLARE
  content_hash bytea := sha256(convert_to(canonical, 'UTF8'));
  last_position bigint;
  last_hash bytea;
  sealed_at timestamptz(3);
BEGIN
  already_sealed := true;
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('sealed_receipt ' || of_tenant, 0));
  SELECT id INTO receipt_id FROM sealed_receipt
    WHERE tenant_id = of_tenant AND kind = of_kind AND seal_key = with_key;
  IF FOUND THEN RETURN; END IF;
  SELECT position, chain_hash INTO last_position, last_hash FROM sealed_receipt
    WHERE tenant_id = of_tenant ORDER BY position DESC LIMIT 1;
  sealed_at := clock_timestamp();
  last_position := coalesce(last_position, 0) + 1;
  INSERT INTO sealed_receipt (id, tenant_id, kind, seal_key, position, content, sha256,
      previous_hash, chain_hash, created_at)
    VALUES (new_id, of_tenant, of_kind, with_key, last_position, canonical, content_hash, last_hash,
      receipt_chain_hash(last_hash, content_hash, of_tenant, last_position, new_id, of_kind,
        sealed_at, with_key),
      sealed_at);
  receipt_id := new_id;
  already_sealed := false;
END $$;

-- Appends the next version of a contract. Publishers of one contract stand in line, so that the
-- versions have no gap and no racer fails.
CREATE FUNCTION append_contract_version(
  new_id uuid, of_tenant uuid, of_kind text, of_key text, new_body jsonb, author uuid
) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  next_version integer;
BEGIN
  PERFORM pg_advisory_xact_lock(
    hashtextextended(concat_ws(E'\n', 'contract_version', of_tenant, of_kind, of_key), 0));
  SELECT coalesce(max(version), 0) + 1 INTO next_version FROM contract_version
    WHERE tenant_id = of_tenant AND kind = of_kind AND contract_key = of_key;
  INSERT INTO contract_version (id, tenant_id, kind, contract_key, version, body, created_by)
    VALUES (new_id, of_tenant, of_kind, of_key, next_version, new_body, author);
  RETURN next_version;
END $$;

ALTER TABLE approval
  ADD CHECK (status IN ('pending', 'approved', 'rejected', 'expired'));
ALTER TABLE approval ADD CHECK ((status IN ('approved', 'rejected')) = (decided_by IS NOT NULL));
ALTER TABLE approval ADD CHECK ((status = 'pending') = (decided_at IS NULL));
-- What was not approved is never executed.
ALTER TABLE approval ADD CHECK (execution IN ('none', 'waiting', 'running', 'done', 'failed'));
ALTER TABLE approval ADD CHECK (status = 'approved' OR execution = 'none');
ALTER TABLE approval
  ADD CHECK ((execution IN ('waiting', 'running')) = (execute_after IS NOT NULL));
CREATE INDEX approval_pending_idx ON approval (expires_at) WHERE status = 'pending';
CREATE INDEX approval_open_execution_idx ON approval (execute_after)
  WHERE execution IN ('waiting', 'running');

ALTER TABLE idempotency_record ADD CHECK (status IN ('running', 'done'));

-- Wakes the readers of a feed; the payload is the tenant and the feed.
CREATE FUNCTION notify_feed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_feed', NEW.tenant_id::text || ' ' || NEW.feed);
  RETURN NULL;
END $$;
CREATE TRIGGER feed_wake AFTER INSERT ON feed_event
  FOR EACH ROW EXECUTE FUNCTION notify_feed();
