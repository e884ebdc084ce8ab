-- A transparency log of each tenant: a Merkle tree (RFC 6962) over the lines of its ledger and its
-- sealed receipts. Versions of an account and positions of receipts are given under locks that are
-- kept to the end of each transaction, so what is seen of either is a prefix without holes that only
-- grows: how far the tree has come is one number of each, and nothing commits behind it.

-- How far the tree of a tenant has come. It moves with the leaves.
CREATE TABLE log_tree (
  tenant_id uuid PRIMARY KEY,
  size bigint NOT NULL DEFAULT 0 CHECK (size >= 0),
  entries bigint NOT NULL DEFAULT 0,
  receipts bigint NOT NULL DEFAULT 0
);

-- 256 hashes of the tree side by side, 32 bytes each: those of leaves at level 0, above it those of
-- whole tiles of the level below. So a proof reads a few rows of each level. The last tile of each
-- level is not full yet: together they are the frontier to which leaves are added.
CREATE TABLE log_tile (
  tenant_id uuid NOT NULL,
  level int NOT NULL,
  index bigint NOT NULL,
  hashes bytea NOT NULL CHECK (length(hashes) BETWEEN 32 AND 8192 AND length(hashes) % 32 = 0),
  -- Of which row each leaf is: the version of a line, or the position of a receipt, negative.
  keys bigint[] CHECK ((keys IS NOT NULL) = (level = 0)),
  -- The last line and the last receipt up to the end of the tile.
  entries bigint,
  receipts bigint,
  PRIMARY KEY (tenant_id, level, index)
);
ALTER TABLE log_tile ALTER COLUMN hashes SET STORAGE EXTERNAL;
CREATE INDEX log_tile_entries ON log_tile (tenant_id, entries, index) WHERE level = 0;
CREATE INDEX log_tile_receipts ON log_tile (tenant_id, receipts, index) WHERE level = 0;

-- What the house has signed of a tree.
CREATE TABLE log_checkpoint (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  size bigint NOT NULL CHECK (size >= 0),
  root_sha256 bytea NOT NULL CHECK (length(root_sha256) = 32),
  statement text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX log_checkpoint_tenant_id_size_key ON log_checkpoint (tenant_id, size);
CREATE INDEX log_checkpoint_tenant_id_id_idx ON log_checkpoint (tenant_id, id);

-- A tree only grows: no hash of a tile is changed or removed once it stands.
CREATE FUNCTION only_grow_tree() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.size < OLD.size OR NEW.entries < OLD.entries OR NEW.receipts < OLD.receipts THEN
    RAISE EXCEPTION 'the log of % only grows', OLD.tenant_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
CREATE FUNCTION only_grow_tile() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF substr(NEW.hashes, 1, length(OLD.hashes)) <> OLD.hashes
     OR NEW.keys[1:cardinality(OLD.keys)] IS DISTINCT FROM OLD.keys THEN
    RAISE EXCEPTION 'the log of % only grows', OLD.tenant_id USING ERRCODE = '42501';
  END IF;
  RETURN NEW;
END $$;
ALTER FUNCTION only_grow_tree() OWNER TO gw_owner;
ALTER FUNCTION only_grow_tile() OWNER TO gw_owner;
CREATE TRIGGER log_tree_grows BEFORE UPDATE ON log_tree
  FOR EACH ROW EXECUTE FUNCTION only_grow_tree();
CREATE TRIGGER log_tile_grows BEFORE UPDATE ON log_tile
  FOR EACH ROW EXECUTE FUNCTION only_grow_tile();
ALTER TABLE log_tree ENABLE ALWAYS TRIGGER log_tree_grows;
ALTER TABLE log_tile ENABLE ALWAYS TRIGGER log_tile_grows;
CALL make_append_only('log_checkpoint');

-- Tenants read their log; the worker brings the logs of all of them forward.
CALL keep_to_tenant('log_tree', 'SELECT');
CALL keep_to_tenant('log_tile', 'SELECT');
CALL keep_to_tenant('log_checkpoint', 'SELECT');
GRANT INSERT, UPDATE ON log_tree, log_tile TO gw_platform;
GRANT INSERT ON log_checkpoint TO gw_platform;
