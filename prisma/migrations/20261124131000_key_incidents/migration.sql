-- Incidents with the keys of an organization, what was done to the key, and from where keys are used.
CREATE TABLE "abuse_incident" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "incident_type" TEXT NOT NULL,
    "key_id" UUID,
    "actions_taken" TEXT[],
    "requests_blocked" BIGINT,
    "cost_saved_micro" BIGINT,
    "note" TEXT,
    "next_action" TEXT NOT NULL,
    "next_action_reason" TEXT NOT NULL,
    "reported_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "abuse_incident_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "abuse_incident_tenant_id_id_key" ON "abuse_incident"("tenant_id", "id");
ALTER TABLE "abuse_incident" ADD CONSTRAINT "abuse_incident_tenant_id_key_id_fkey"
    FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
CALL make_append_only('abuse_incident');
CALL keep_to_tenant('abuse_incident', 'SELECT, INSERT');

CREATE TABLE "key_action" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "incident_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "action" TEXT NOT NULL,
    "requests_per_minute" INTEGER,
    "new_key_id" UUID,
    "grace_ends_at" TIMESTAMPTZ(3),
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "undone_at" TIMESTAMPTZ(3),
    "undone_by" UUID,

    CONSTRAINT "key_action_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "key_action_tenant_id_id_key" ON "key_action"("tenant_id", "id");
CREATE INDEX "key_action_incident_id_idx" ON "key_action"("incident_id");
ALTER TABLE "key_action" ADD CONSTRAINT "key_action_tenant_id_incident_id_fkey"
    FOREIGN KEY ("tenant_id", "incident_id") REFERENCES "abuse_incident"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE "key_action" ADD CONSTRAINT "key_action_tenant_id_key_id_fkey"
    FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE key_action ADD CHECK (action IN ('throttle', 'rotate', 'revoke'));
ALTER TABLE key_action ADD CHECK ((action = 'throttle') = (requests_per_minute IS NOT NULL));
ALTER TABLE key_action ADD CHECK ((action = 'rotate') = (new_key_id IS NOT NULL));
ALTER TABLE key_action ADD CHECK ((undone_at IS NULL) = (undone_by IS NULL));
CREATE INDEX key_action_throttles ON key_action (tenant_id)
  WHERE action = 'throttle' AND undone_at IS NULL;
CALL keep_to_tenant('key_action', 'SELECT, INSERT, UPDATE');

-- A throttle holds for the next request on every node.
CREATE TRIGGER key_action_notify AFTER INSERT OR UPDATE ON key_action
  FOR EACH ROW WHEN (NEW.action = 'throttle') EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('key_action', $$NEW.action = 'throttle'$$);

-- From where a key is used: the network of an address, and the address itself as a keyed hash alone.
-- Nodes write what they have seen every few seconds.
CREATE TABLE "key_address" (
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "address_hash" BYTEA NOT NULL,
    "network" TEXT NOT NULL,
    "requests" BIGINT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(3) NOT NULL,
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_address_pkey" PRIMARY KEY ("key_id","address_hash")
);
CREATE INDEX key_address_seen ON key_address (last_seen_at);
CALL keep_to_tenant('key_address', 'SELECT, INSERT, UPDATE, DELETE');

