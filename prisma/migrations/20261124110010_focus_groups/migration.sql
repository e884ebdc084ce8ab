-- Groups of one charge period of an export, as its first page saw them: whoever asks for the next
-- page goes on from its key, where it would otherwise sum up the whole period again. They can be made
-- anew from the books at any time and are forgotten after minutes, so they are not logged.
CREATE UNLOGGED TABLE focus_group (
  tenant_id uuid NOT NULL,
  -- The hash of window, length of periods, period and snapshot.
  reading bytea NOT NULL CHECK (octet_length(reading) = 32),
  key text NOT NULL,
  period timestamptz(3) NOT NULL,
  kind text NOT NULL,
  correction boolean NOT NULL,
  rate int,
  note text,
  -- A usage row of the group, which tells what all of it have in common.
  sample bigint,
  requests bigint NOT NULL,
  net bigint NOT NULL,
  vat bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cached bigint NOT NULL,
  cache_write bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT statement_timestamp(),
  PRIMARY KEY (tenant_id, reading, key)
);
CALL keep_to_tenant('focus_group', 'SELECT, INSERT, DELETE');
