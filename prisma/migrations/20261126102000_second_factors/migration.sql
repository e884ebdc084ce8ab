-- The second factor of members: a secret of time-based codes (RFC 6238), sealed with the secret of
-- the installation, and the keyed hashes of recovery codes. `last_step` is the time step of the last
-- code that was taken: none of it or before it is taken again, on whatever node it is shown.
ALTER TABLE tenant ADD COLUMN second_factor_required boolean NOT NULL DEFAULT false;
-- What lives on sessions is looked at again when it is required.
CREATE TRIGGER second_factor_change AFTER UPDATE OF second_factor_required ON tenant
  FOR EACH ROW EXECUTE FUNCTION notify_access_change();

CREATE TABLE "second_factor" (
    "user_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "secret_sealed" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "confirmed_at" TIMESTAMPTZ(3),
    "last_step" BIGINT NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "locked_until" TIMESTAMPTZ(3),

    CONSTRAINT "second_factor_pkey" PRIMARY KEY ("user_id")
);
ALTER TABLE "second_factor" ADD CONSTRAINT "second_factor_tenant_id_user_id_fkey"
    FOREIGN KEY ("tenant_id", "user_id") REFERENCES "app_user"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
CREATE UNIQUE INDEX "second_factor_tenant_id_user_id_key"
    ON "second_factor"("tenant_id", "user_id");
ALTER TABLE second_factor ADD CHECK (failures >= 0);
CALL keep_to_tenant('second_factor', 'SELECT, INSERT, UPDATE, DELETE');

CREATE TABLE "recovery_code" (
    "user_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "code_hash" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(3),

    CONSTRAINT "recovery_code_pkey" PRIMARY KEY ("user_id", "code_hash")
);
ALTER TABLE "recovery_code" ADD CONSTRAINT "recovery_code_user_id_fkey"
    FOREIGN KEY ("user_id") REFERENCES "second_factor"("user_id")
    ON DELETE CASCADE ON UPDATE CASCADE;
ALTER TABLE recovery_code ADD CHECK (length(code_hash) = 32);
CALL keep_to_tenant('recovery_code', 'SELECT, INSERT, UPDATE, DELETE');
