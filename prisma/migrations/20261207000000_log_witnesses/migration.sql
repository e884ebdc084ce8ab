-- An organization may publish its transparency log: its checkpoints at an address that nobody can
-- guess, as notes that witnesses outside cosign. A witness knows a log by origin and key, so both stay
-- with the publication for ever; a new publication is a log of another name.
CREATE TABLE log_publication (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  -- The last part of the address, random.
  name text NOT NULL UNIQUE CHECK (name ~ '^[0-9a-f]{32}$'),
  -- The first line of its notes.
  origin text NOT NULL UNIQUE,
  public_key bytea NOT NULL CHECK (length(public_key) = 32),
  private_sealed bytea NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz(3)
);
CREATE INDEX log_publication_tenant_id_id_idx ON log_publication (tenant_id, id);
CREATE UNIQUE INDEX log_publication_open ON log_publication (tenant_id) WHERE ended_at IS NULL;

-- What witnesses have signed of it: the first cosignature of each for a checkpoint.
CREATE TABLE log_cosignature (
  publication_id uuid NOT NULL REFERENCES log_publication (id),
  tenant_id uuid NOT NULL,
  size bigint NOT NULL,
  -- The key of the witness, as the settings listed it.
  witness text NOT NULL,
  -- When the witness says that it signed.
  cosigned_at timestamptz(0) NOT NULL,
  -- The line of the note.
  line text NOT NULL CHECK (length(line) <= 1000),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (publication_id, size, witness),
  FOREIGN KEY (tenant_id, size) REFERENCES log_checkpoint (tenant_id, size)
);
CREATE INDEX log_cosignature_tenant_id_size_idx ON log_cosignature (tenant_id, size);
CALL make_append_only('log_cosignature');

CALL keep_to_tenant('log_publication', 'SELECT, INSERT');
CALL keep_to_tenant('log_cosignature', 'SELECT');
GRANT UPDATE (ended_at) ON log_publication TO gw_app;
-- A new secret of the installation seals the keys of logs anew.
GRANT UPDATE (ended_at, private_sealed) ON log_publication TO gw_platform;
GRANT INSERT ON log_cosignature TO gw_platform;
