-- How far a reader of an append-only table has come. The mark moves in the transaction of what the
-- reader makes of the rows, so that none is skipped or counted twice, whatever crashes.
CREATE TABLE reader_mark (
  name text PRIMARY KEY,
  txid bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  moved_at timestamptz(3) NOT NULL DEFAULT clock_timestamp()
);

-- It belongs to no tenant: it is a place in a table, and says nothing of the rows before it.
GRANT SELECT ON reader_mark TO gw_app;
GRANT SELECT, INSERT, UPDATE ON reader_mark TO gw_platform;
