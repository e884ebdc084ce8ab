-- A seal of a period reads every row of it. What a row cannot prove by other rows, such as its model
-- or its key, is held against a hash that was taken when the row was new: for lines of the ledger the
-- transparency log has it, for usage rows the witness. A period with many rows is read step by step,
-- behind the requests, and whatever is found wrong is kept by request.

-- Hashes of usage rows, taken by a reader behind the writers: one row for each hour of a batch. What
-- it has read it never takes again.
CREATE TABLE integrity_witness (
  tenant_id uuid NOT NULL,
  until_at timestamptz(3) NOT NULL,
  until_seq bigint NOT NULL,
  from_at timestamptz(3) NOT NULL,
  request_ids uuid[] NOT NULL,
  used_at timestamptz(3)[] NOT NULL,
  hashes bytea NOT NULL,
  PRIMARY KEY (tenant_id, until_at, until_seq),
  CHECK (length(hashes) = 32 * cardinality(request_ids)),
  CHECK (cardinality(used_at) = cardinality(request_ids))
);
ALTER TABLE integrity_witness ALTER COLUMN hashes SET STORAGE EXTERNAL;
CALL keep_to_tenant('integrity_witness', 'SELECT');
GRANT INSERT, DELETE ON integrity_witness TO gw_platform;

-- A period that is sealed, or about to be: how far its rows are read, and what it was sealed as.
-- `generation` counts its readings; `due_at` is when it is to be read on, or again.
CREATE TABLE integrity_seal (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  seal_key text NOT NULL,
  from_at timestamptz(3) NOT NULL,
  to_at timestamptz(3) NOT NULL,
  generation int NOT NULL DEFAULT 1,
  status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'sealed', 'failed')),
  rows_read bigint NOT NULL DEFAULT 0,
  rows_total bigint NOT NULL,
  reading jsonb,
  failure text,
  receipt_id uuid,
  verdict text,
  root_sha256 bytea CHECK (length(root_sha256) = 32),
  sealed_generation int,
  read_at timestamptz(3),
  due_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);
CREATE UNIQUE INDEX integrity_seal_tenant_id_seal_key_key ON integrity_seal (tenant_id, seal_key);
CREATE INDEX integrity_seal_tenant_id_id_idx ON integrity_seal (tenant_id, id);
CREATE INDEX integrity_seal_due_at_idx ON integrity_seal (due_at) WHERE due_at IS NOT NULL;
-- The receipt and what the period is sealed as are written in one transaction, by whoever seals.
CALL keep_to_tenant('integrity_seal', 'SELECT, INSERT, UPDATE');

-- What a reading has found of a request: its faults, and what both traces say of it. One without
-- faults is under way.
CREATE TABLE integrity_fault (
  tenant_id uuid NOT NULL,
  seal_id uuid NOT NULL,
  generation int NOT NULL,
  request_id uuid NOT NULL,
  faults text[] NOT NULL,
  under_way boolean NOT NULL DEFAULT false,
  charged_micro numeric,
  used_micro numeric,
  replayed_micro numeric,
  held_at timestamptz(3),
  ended_at timestamptz(3),
  used_at timestamptz(3),
  unpaired_charges int NOT NULL DEFAULT 0,
  unpaired_charged_micro numeric NOT NULL DEFAULT 0,
  unpaired_used_micro numeric NOT NULL DEFAULT 0,
  unpaired_replayed_micro numeric NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant_id, seal_id, generation, request_id)
);
CALL keep_to_tenant('integrity_fault', 'SELECT');
GRANT INSERT, UPDATE, DELETE ON integrity_fault TO gw_platform;

-- Periods that were sealed before are read once now: a receipt that its rows contradict is superseded.
-- The id of a seal has the number of its kind, 160.
INSERT INTO integrity_seal
  (id, tenant_id, seal_key, from_at, to_at, rows_total, receipt_id, verdict, sealed_generation,
   read_at, due_at)
SELECT overlay(r.id::text PLACING '70a0' FROM 15 FOR 4)::uuid, r.tenant_id, r.seal_key,
  split_part(r.seal_key, '/', 1)::timestamptz,
  split_part(r.seal_key, '/', 2)::timestamptz, 0, r.id, r.content::jsonb ->> 'verdict', 1,
  r.created_at, clock_timestamp()
FROM sealed_receipt r
WHERE r.kind = 'billing_integrity' AND r.content IS NOT NULL;
UPDATE integrity_seal SET status = 'sealed';
