-- One-time links by which a member sets a new password. Of a member at most one is open: a newer one
-- takes the place of the one before. Only a hash of the link's token is kept.
CREATE TABLE "password_reset" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "token_hash" BYTEA NOT NULL,
    "issued_by" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "used_at" TIMESTAMPTZ(3),
    "replaced_at" TIMESTAMPTZ(3),

    CONSTRAINT "password_reset_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "password_reset_token_hash_key" ON "password_reset"("token_hash");
CREATE UNIQUE INDEX "password_reset_tenant_id_id_key" ON "password_reset"("tenant_id", "id");
CREATE UNIQUE INDEX password_reset_open
  ON password_reset (user_id) WHERE used_at IS NULL AND replaced_at IS NULL;
CREATE INDEX "password_reset_expires_at_idx" ON "password_reset"("expires_at");
ALTER TABLE "password_reset" ADD CONSTRAINT "password_reset_tenant_id_user_id_fkey"
    FOREIGN KEY ("tenant_id", "user_id") REFERENCES "app_user"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE password_reset ADD CHECK (length(token_hash) = 32);
ALTER TABLE password_reset ADD CHECK (used_at IS NULL OR replaced_at IS NULL);
CALL keep_to_tenant('password_reset', 'SELECT, INSERT, UPDATE, DELETE');
