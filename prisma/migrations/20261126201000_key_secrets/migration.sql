-- A key gets a new secret while the one before works on until its grace is over. The present one
-- stands with the key; those before it stand here, ended ones too, so that they are known as such.
CREATE TABLE "key_secret" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "prefix" TEXT NOT NULL,
    "last_four" TEXT NOT NULL,
    "made_by" UUID NOT NULL,
    "made_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_secret_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "key_secret_key_hash_key" ON "key_secret"("key_hash");
CREATE INDEX "key_secret_tenant_id_key_id_idx" ON "key_secret"("tenant_id", "key_id");
ALTER TABLE "key_secret" ADD CONSTRAINT "key_secret_tenant_id_key_id_fkey"
    FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
CALL keep_to_tenant('key_secret', 'SELECT, INSERT, UPDATE');
-- A secret is remembered with its key, and its end holds for the next request on every node.
CREATE TRIGGER key_secret_notify AFTER INSERT OR UPDATE ON key_secret
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();
CALL confirm_by_hold('key_secret');

-- What names the present secret, and when it was made; null until the key is rotated.
ALTER TABLE api_key ADD COLUMN secret_id UUID;
ALTER TABLE api_key ADD COLUMN secret_made_at TIMESTAMPTZ(3);

-- When a secret was used last. Nodes write it every few seconds, and nobody remembers it.
CREATE TABLE "key_use" (
    "secret_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "key_id" UUID NOT NULL,
    "last_used_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "key_use_pkey" PRIMARY KEY ("secret_id")
);
CREATE INDEX "key_use_tenant_id_key_id_idx" ON "key_use"("tenant_id", "key_id");
ALTER TABLE "key_use" ADD CONSTRAINT "key_use_tenant_id_key_id_fkey"
    FOREIGN KEY ("tenant_id", "key_id") REFERENCES "api_key"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
CALL keep_to_tenant('key_use', 'SELECT, INSERT, UPDATE');
