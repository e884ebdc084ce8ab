-- Whoever verifies a name holds the names of the whole platform until the commit. The listings that are
-- like the name are looked for after that, a few at a time; until they all are, the claim says for which
-- of its names.
ALTER TABLE publisher_identity ADD COLUMN names_due text[] NOT NULL DEFAULT '{}'
  CHECK (names_due <@ ARRAY['legal_name', 'domain']);
CREATE INDEX publisher_identity_names_due ON publisher_identity (id) WHERE names_due <> '{}';
