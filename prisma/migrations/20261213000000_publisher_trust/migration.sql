-- Who publishes is proved by a record of the domain or decided by an operator, never by the
-- organization's own members. What is kept is evidence with its end; how an identity stands follows
-- from it and from the moment.
CREATE TABLE publisher_identity (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  legal_name text NOT NULL,
  -- What look-alikes of the name have in common with it.
  name_key text NOT NULL,
  inn text,
  domain text,
  domain_key text,
  label_key text,
  token text NOT NULL,
  challenge_until timestamptz(3) NOT NULL,
  checked_at timestamptz(3),
  check_failure text,
  -- The last record that was found, and until when it proves the domain; null where it no longer does.
  proved_at timestamptz(3),
  proved_until timestamptz(3),
  decision text CHECK (decision IN ('approved', 'denied')),
  decision_reason text,
  decided_at timestamptz(3),
  decided_by uuid,
  approved_until timestamptz(3),
  withdrawn_at timestamptz(3),
  revoked_at timestamptz(3),
  revoked_by uuid,
  revoke_reason text,
  created_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((domain IS NULL) = (domain_key IS NULL) AND (domain IS NULL) = (label_key IS NULL)),
  CHECK (proved_until IS NULL OR (proved_at IS NOT NULL AND domain IS NOT NULL)),
  CHECK ((decision IS NULL) = (decided_at IS NULL) AND (decision IS NULL) = (decided_by IS NULL)
    AND (decision IS NULL) = (decision_reason IS NULL)),
  CHECK ((approved_until IS NOT NULL) = (decision IS NOT DISTINCT FROM 'approved')),
  CHECK ((revoked_at IS NULL) = (revoked_by IS NULL) AND (revoked_at IS NULL) = (revoke_reason IS NULL)),
  -- What has ended proves nothing any more.
  CHECK (proved_until IS NULL OR
    (withdrawn_at IS NULL AND revoked_at IS NULL AND decision IS DISTINCT FROM 'denied'))
);
CREATE INDEX "publisher_identity_tenant_id_id_idx" ON "publisher_identity"("tenant_id", "id");
-- A domain is proved by one organization at a time.
CREATE UNIQUE INDEX publisher_identity_domain ON publisher_identity (domain)
  WHERE proved_until IS NOT NULL;
-- An organization claims a domain once at a time.
CREATE UNIQUE INDEX publisher_identity_claim ON publisher_identity (tenant_id, domain)
  WHERE withdrawn_at IS NULL AND revoked_at IS NULL AND decision IS DISTINCT FROM 'denied';
CREATE INDEX publisher_identity_recheck ON publisher_identity (checked_at)
  WHERE proved_until IS NOT NULL;
CALL keep_to_tenant('publisher_identity', 'SELECT, INSERT, UPDATE');

ALTER TABLE marketplace_listing
  ADD COLUMN publisher_key text,
  ADD COLUMN name_review text CHECK (name_review IN ('waiting', 'cleared', 'refused')),
  ADD COLUMN measure text CHECK (measure IN ('suspended', 'revoked')),
  ADD COLUMN measure_reason text,
  ADD COLUMN measured_at timestamptz(3),
  ADD COLUMN measured_by uuid,
  ADD CHECK ((measured_at IS NULL) = (measured_by IS NULL)
    AND (measured_at IS NULL) = (measure_reason IS NULL)
    AND (measure IS NULL OR measured_at IS NOT NULL));

-- What readers report. The row belongs to the organization of the reader, so that the publisher
-- never sees whose it is.
CREATE TABLE listing_report (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  listing_id uuid NOT NULL REFERENCES marketplace_listing (id),
  reason text NOT NULL,
  details text NOT NULL,
  resolution text CHECK (resolution IN ('upheld', 'dismissed')),
  resolution_reason text,
  resolved_at timestamptz(3),
  resolved_by uuid,
  created_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK ((resolution IS NULL) = (resolved_at IS NULL) AND (resolution IS NULL) = (resolved_by IS NULL)
    AND (resolution IS NULL) = (resolution_reason IS NULL))
);
CREATE INDEX "listing_report_tenant_id_id_idx" ON "listing_report"("tenant_id", "id");
CREATE UNIQUE INDEX listing_report_open ON listing_report (tenant_id, listing_id)
  WHERE resolved_at IS NULL;
CREATE INDEX listing_report_queue ON listing_report (id DESC) WHERE resolved_at IS NULL;
CREATE INDEX listing_report_listing ON listing_report (listing_id);
CALL keep_to_tenant('listing_report', 'SELECT, INSERT, UPDATE');

-- The names of verified publishers, which are public: an organization compares a name with those of
-- all others in its own transaction, whose rows alone it sees.
CREATE FUNCTION verified_publisher_names()
RETURNS TABLE (tenant_id uuid, legal_name text, is_approved boolean, proved_domain text)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
  SELECT i.tenant_id, i.legal_name, coalesce(i.approved_until > clock_timestamp(), false),
    CASE WHEN i.proved_until > clock_timestamp() THEN i.domain END
  FROM public.publisher_identity i
  WHERE i.withdrawn_at IS NULL AND i.revoked_at IS NULL AND i.decision IS DISTINCT FROM 'denied'
    AND (i.approved_until > clock_timestamp() OR i.proved_until > clock_timestamp())
$$;
ALTER FUNCTION verified_publisher_names() OWNER TO gw_owner;
REVOKE ALL ON FUNCTION verified_publisher_names() FROM PUBLIC;
GRANT EXECUTE ON FUNCTION verified_publisher_names() TO gw_app, gw_platform;
