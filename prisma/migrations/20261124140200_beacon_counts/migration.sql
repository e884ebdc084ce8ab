-- What pages of the operator tell of their use. Only counts of a day are kept, and nothing that was
-- sent; they belong to no tenant, and sessions of tenants see none of them.
CREATE TABLE beacon_count (
  day date NOT NULL,
  kind text NOT NULL CHECK (kind IN ('event', 'path', 'referrer', 'session')),
  value text NOT NULL,
  hits bigint NOT NULL CHECK (hits > 0),
  PRIMARY KEY (day, kind, value)
) WITH (fillfactor = 70);
GRANT SELECT, INSERT, UPDATE ON beacon_count TO gw_platform;

-- Sessions of a day by a keyed hash whose key is of that day alone, so that each counts once. Rows
-- of days that are over are removed, and what is left of them is a number.
CREATE TABLE beacon_session (
  day date NOT NULL,
  session_hash bytea NOT NULL CHECK (octet_length(session_hash) = 16),
  PRIMARY KEY (day, session_hash)
);
GRANT SELECT, INSERT, DELETE ON beacon_session TO gw_platform;
