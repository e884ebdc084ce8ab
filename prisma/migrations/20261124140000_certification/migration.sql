-- Listings of the marketplace and the badges that they are certified by. A badge is one row from the
-- begin of its review to its end; what was decided is sealed beside it.
CREATE TABLE marketplace_listing (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  type text NOT NULL,
  name text NOT NULL,
  publisher text,
  description text,
  version text NOT NULL,
  url text,
  tool_key text,
  status text NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'listed', 'withdrawn')),
  created_by uuid NOT NULL,
  listed_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK (status <> 'listed' OR listed_at IS NOT NULL)
);
CREATE UNIQUE INDEX "marketplace_listing_tenant_id_id_key"
  ON "marketplace_listing"("tenant_id", "id");
CREATE INDEX marketplace_listing_listed ON marketplace_listing (id DESC) WHERE status = 'listed';
CALL keep_to_tenant('marketplace_listing', 'SELECT, INSERT, UPDATE');

CREATE TABLE certification (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  listing_id uuid,
  tool_key text,
  badge text NOT NULL,
  version text NOT NULL,
  status text NOT NULL DEFAULT 'in_review'
    CHECK (status IN ('in_review', 'certified', 'rejected', 'revoked')),
  tool_contract_version integer,
  tool_contract_sha256 bytea,
  simulated boolean,
  audit jsonb NOT NULL DEFAULT '[]',
  gates_passed text[] NOT NULL DEFAULT '{}',
  gates_failed text[] NOT NULL DEFAULT '{}',
  score integer CHECK (score BETWEEN 0 AND 100),
  started_by uuid NOT NULL,
  -- The member who answers for the start, which another one reviews.
  accountable_id uuid,
  reviewed_by uuid,
  self_reviewed boolean NOT NULL DEFAULT false,
  decided_at timestamptz(3),
  valid_until timestamptz(3),
  superseded_at timestamptz(3),
  -- The badge that renewed it; null where the contract of its tool has changed.
  superseded_by uuid,
  revoked_at timestamptz(3),
  revoke_reason text,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CHECK (listing_id IS NOT NULL OR tool_key IS NOT NULL),
  CHECK ((status = 'in_review') = (decided_at IS NULL)),
  CHECK (status NOT IN ('certified', 'revoked') OR valid_until IS NOT NULL),
  CHECK ((status = 'revoked') = (revoked_at IS NOT NULL)),
  CONSTRAINT "certification_tenant_id_listing_id_fkey" FOREIGN KEY ("tenant_id", "listing_id")
    REFERENCES "marketplace_listing"("tenant_id", "id") ON DELETE RESTRICT ON UPDATE CASCADE
);
CREATE INDEX "certification_tenant_id_listing_id_idx" ON "certification"("tenant_id", "listing_id");
CREATE INDEX "certification_tenant_id_id_idx" ON "certification"("tenant_id", "id");
CREATE INDEX certification_of_tool ON certification (tenant_id, tool_key)
  WHERE status = 'certified' AND superseded_at IS NULL;
-- One review at a time, and one badge in force, for a subject.
CREATE UNIQUE INDEX certification_open ON certification
  (tenant_id, badge, coalesce(listing_id::text, ''), coalesce(tool_key, ''))
  WHERE status = 'in_review';
CREATE UNIQUE INDEX certification_in_force ON certification
  (tenant_id, badge, coalesce(listing_id::text, ''), coalesce(tool_key, ''))
  WHERE status = 'certified' AND superseded_at IS NULL;
CALL keep_to_tenant('certification', 'SELECT, INSERT, UPDATE');

-- A badge is for the very contract that was audited: another version of it ends the badge, in the
-- transaction that publishes the version. A new signing secret alone changes nothing that was audited.
CREATE FUNCTION supersede_certifications() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE certification SET superseded_at = clock_timestamp()
  WHERE tenant_id = NEW.tenant_id AND tool_key = NEW.contract_key AND status = 'certified'
    AND superseded_at IS NULL
    AND NOT EXISTS (
      SELECT FROM contract_version AS before
      WHERE before.tenant_id = NEW.tenant_id AND before.kind = NEW.kind
        AND before.contract_key = NEW.contract_key AND before.version = NEW.version - 1
        AND before.body - 'signing_generation' = NEW.body - 'signing_generation');
  RETURN NULL;
END $$;
ALTER FUNCTION supersede_certifications() OWNER TO gw_owner;
CREATE TRIGGER contract_version_certified AFTER INSERT ON contract_version
  FOR EACH ROW WHEN (NEW.kind = 'tool' AND NEW.version > 1)
  EXECUTE FUNCTION supersede_certifications();
