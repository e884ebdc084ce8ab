-- What operators of the platform change of providers, prices and traffic while gateways run. It
-- belongs to no tenant: one list for the whole platform, which sessions of tenants neither see nor
-- write. Append-only; of the rows of one place the latest is in force. Every node follows it.
CREATE TABLE provider_change (
  seq        bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind       text NOT NULL,
  subject    text NOT NULL,
  place      text NOT NULL,
  body       jsonb NOT NULL,
  reason     text NOT NULL,
  set_by     uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE INDEX provider_change_place_seq_idx ON provider_change (place, seq DESC);
CALL make_append_only('provider_change');
GRANT SELECT, INSERT ON provider_change TO gw_platform;

CREATE FUNCTION notify_provider_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM pg_notify('gw_fleet', NEW.seq::text);
  RETURN NULL;
END $$;
ALTER FUNCTION notify_provider_change() OWNER TO gw_owner;
CREATE TRIGGER provider_change_notify AFTER INSERT ON provider_change
  FOR EACH ROW EXECUTE FUNCTION notify_provider_change();
