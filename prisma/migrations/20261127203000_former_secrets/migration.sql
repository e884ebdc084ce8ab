-- The keys of keyed hashes under secrets that the installation had before, sealed under the one that
-- it has: API keys, recovery codes, links and signing secrets of customers go on, although nobody
-- has the texts to hash them anew. What was sealed under a former secret opens by none of these.
CREATE TABLE former_hash_key (
  key_id bytea PRIMARY KEY CHECK (length(key_id) = 4),
  sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
GRANT SELECT, INSERT, UPDATE ON former_hash_key TO gw_platform;
GRANT UPDATE (private_sealed) ON signing_key TO gw_platform;
