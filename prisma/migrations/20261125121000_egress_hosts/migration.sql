-- The hosts to which nodes have really sent requests, for the register of sub-processors. Nodes add
-- to it every few seconds what they have opened since; it belongs to no tenant, and sessions of
-- tenants see none of it. As many rows as the routes of providers have hosts.
CREATE TABLE egress_host (
  host text NOT NULL,
  jurisdiction text NOT NULL,
  provider_id text NOT NULL,
  operator text NOT NULL,
  requests bigint NOT NULL CHECK (requests >= 0),
  connections bigint NOT NULL CHECK (connections >= 0),
  first_seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (host, jurisdiction, provider_id, operator)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE, DELETE ON egress_host TO gw_platform;
