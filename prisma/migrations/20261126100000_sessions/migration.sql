-- Logins as members see them. Until now a login was known by its refresh tokens alone; here it has
-- a row of its own, which every request with an access token asks for its end.
CREATE TABLE "auth_session" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "user_id" UUID NOT NULL,
    "user_agent" TEXT,
    "network" TEXT,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "last_seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "auth_session_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "auth_session_tenant_id_id_key" ON "auth_session"("tenant_id", "id");
CREATE INDEX "auth_session_user_id_id_idx" ON "auth_session"("user_id", "id");
CREATE INDEX "auth_session_expires_at_idx" ON "auth_session"("expires_at");
CREATE INDEX "session_expires_at_idx" ON "session"("expires_at");
ALTER TABLE "auth_session" ADD CONSTRAINT "auth_session_tenant_id_user_id_fkey"
    FOREIGN KEY ("tenant_id", "user_id") REFERENCES "app_user"("tenant_id", "id")
    ON DELETE RESTRICT ON UPDATE CASCADE;
ALTER TABLE auth_session ADD CHECK (length(user_agent) <= 200);
ALTER TABLE auth_session ADD CHECK (length(network) <= 64);
-- Where a login was made from is kept only as long as it lasts.
ALTER TABLE auth_session ADD CHECK (ended_at IS NULL OR (user_agent IS NULL AND network IS NULL));
CALL keep_to_tenant('auth_session', 'SELECT, INSERT, UPDATE, DELETE');
GRANT DELETE ON session TO gw_app, gw_platform;

INSERT INTO auth_session (id, tenant_id, user_id, created_at, last_seen_at, expires_at, ended_at)
SELECT family_id, tenant_id, user_id, min(created_at), max(created_at), max(expires_at),
       max(revoked_at)
FROM session GROUP BY family_id, tenant_id, user_id
ON CONFLICT DO NOTHING;

-- The end of a login, whoever revokes its refresh tokens: nodes of the release before know nothing
-- else. Sockets and memories of every node hear of it.
CREATE FUNCTION end_auth_session() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO auth_session AS a (id, tenant_id, user_id, expires_at, ended_at)
  VALUES (NEW.family_id, NEW.tenant_id, NEW.user_id, NEW.expires_at, NEW.revoked_at)
  ON CONFLICT (id) DO UPDATE
    SET ended_at = COALESCE(a.ended_at, EXCLUDED.ended_at), user_agent = NULL, network = NULL;
  PERFORM pg_notify('gw_access', NEW.tenant_id::text);
  RETURN NULL;
END $$;
CREATE TRIGGER session_end AFTER UPDATE OF revoked_at ON session
  FOR EACH ROW WHEN (OLD.revoked_at IS NULL AND NEW.revoked_at IS NOT NULL)
  EXECUTE FUNCTION end_auth_session();
