-- Endpoints of tenants that are told of events, how far each has come in every feed it follows, and
-- what was sent to it. One node delivers for all; a row names it and the time until which it may.
CREATE TABLE "webhook_endpoint" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT,
    "event_types" TEXT[],
    "status" TEXT NOT NULL DEFAULT 'active',
    "disabled_reason" TEXT,
    "disabled_at" TIMESTAMPTZ(3),
    "secret_generation" INTEGER NOT NULL DEFAULT 1,
    "former_secret_until" TIMESTAMPTZ(3),
    "failing_since" TIMESTAMPTZ(3),
    "last_success_at" TIMESTAMPTZ(3),
    "created_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),

    CONSTRAINT "webhook_endpoint_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_feed_cursor" (
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "feed" TEXT NOT NULL,
    "txid" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "snapshot" TEXT NOT NULL,

    CONSTRAINT "webhook_feed_cursor_pkey" PRIMARY KEY ("endpoint_id","feed")
);

CREATE TABLE "webhook_delivery" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "endpoint_id" UUID NOT NULL,
    "event_id" TEXT NOT NULL,
    "event_type" TEXT NOT NULL,
    "body" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "step" INTEGER NOT NULL DEFAULT 0,
    "replayed" BOOLEAN NOT NULL DEFAULT false,
    "next_attempt_at" TIMESTAMPTZ(3) DEFAULT clock_timestamp(),
    "begun_at" TIMESTAMPTZ(3),
    "response_status" INTEGER,
    "failure" TEXT,
    "response" TEXT,
    "attempt_log" JSONB NOT NULL DEFAULT '[]',
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "webhook_delivery_pkey" PRIMARY KEY ("id")
);

CREATE TABLE "webhook_worker" (
    "id" INTEGER NOT NULL DEFAULT 1,
    "node_id" TEXT NOT NULL,
    "term" BIGINT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "webhook_worker_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "webhook_endpoint_tenant_id_id_key" ON "webhook_endpoint"("tenant_id", "id");
CREATE UNIQUE INDEX "webhook_delivery_endpoint_id_event_id_key"
    ON "webhook_delivery"("endpoint_id", "event_id");
CREATE INDEX "webhook_delivery_tenant_id_id_idx" ON "webhook_delivery"("tenant_id", "id");
CREATE INDEX "webhook_delivery_endpoint_id_id_idx" ON "webhook_delivery"("endpoint_id", "id");

ALTER TABLE "webhook_feed_cursor" ADD CONSTRAINT "webhook_feed_cursor_tenant_id_endpoint_id_fkey"
    FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE "webhook_delivery" ADD CONSTRAINT "webhook_delivery_tenant_id_endpoint_id_fkey"
    FOREIGN KEY ("tenant_id", "endpoint_id") REFERENCES "webhook_endpoint"("tenant_id", "id")
    ON DELETE CASCADE ON UPDATE CASCADE;

ALTER TABLE webhook_endpoint ADD CHECK (status IN ('active', 'paused', 'disabled'));
ALTER TABLE webhook_endpoint ADD CHECK ((status = 'disabled') = (disabled_reason IS NOT NULL));
ALTER TABLE webhook_endpoint ADD CHECK ((status = 'disabled') = (disabled_at IS NOT NULL));
ALTER TABLE webhook_delivery
  ADD CHECK (status IN ('pending', 'sending', 'delivered', 'failed'));
ALTER TABLE webhook_delivery
  ADD CHECK ((status IN ('pending', 'sending')) = (next_attempt_at IS NOT NULL));
ALTER TABLE webhook_delivery
  ADD CHECK ((status IN ('delivered', 'failed')) = (ended_at IS NOT NULL));
ALTER TABLE webhook_worker ADD CHECK (id = 1);

-- What an endpoint is owed, what is new before what is repeated.
CREATE INDEX webhook_delivery_owed_idx
  ON webhook_delivery (endpoint_id, replayed, next_attempt_at, id) WHERE status = 'pending';
CREATE INDEX webhook_delivery_sending_idx ON webhook_delivery (id) WHERE status = 'sending';
CREATE INDEX webhook_delivery_ended_idx ON webhook_delivery (ended_at)
  WHERE ended_at IS NOT NULL;

CALL keep_to_tenant('webhook_endpoint', 'SELECT, INSERT, UPDATE, DELETE');
CALL keep_to_tenant('webhook_feed_cursor', 'SELECT, INSERT, UPDATE, DELETE');
CALL keep_to_tenant('webhook_delivery', 'SELECT, INSERT, UPDATE, DELETE');

-- It belongs to no tenant; sessions of tenants neither see nor take it.
GRANT SELECT, UPDATE ON webhook_worker TO gw_platform;
INSERT INTO webhook_worker (node_id, term, expires_at) VALUES ('', 0, 'epoch');

-- Tells the node that delivers that endpoints came, went or changed what they follow.
CREATE FUNCTION notify_webhook_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_webhooks', '');
  RETURN NULL;
END $$;
ALTER FUNCTION notify_webhook_change() OWNER TO gw_owner;
CREATE TRIGGER webhook_endpoint_notify AFTER INSERT OR DELETE OR UPDATE OF status, event_types
  ON webhook_endpoint FOR EACH ROW EXECUTE FUNCTION notify_webhook_change();
