-- One key, one effect. An attempt that may have had its effect leaves the key open: the next one
-- runs under the same first_request_id, by which the effect is found. The epoch of the claiming
-- node tells at once that it has died, where before a minute of silence had to.
ALTER TABLE idempotency_record ADD COLUMN node_epoch bigint;
ALTER TABLE idempotency_record DROP CONSTRAINT idempotency_record_status_check;
ALTER TABLE idempotency_record
  ADD CONSTRAINT idempotency_record_status_check CHECK (status IN ('running', 'open', 'done'));
CREATE INDEX idempotency_record_first_request_id_idx ON idempotency_record (first_request_id);

-- What became of an effect, written in the transaction of the effect itself. root_id is the
-- first_request_id of its key: the outcome lives at least as long as the key does.
CREATE TABLE keyed_outcome (
  effect_id    uuid NOT NULL,
  root_id      uuid NOT NULL,
  tenant_id    uuid NOT NULL,
  http_status  integer,
  content_type text,
  answer       bytea,
  created_at   timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  CONSTRAINT keyed_outcome_pkey PRIMARY KEY (effect_id)
);
CREATE INDEX keyed_outcome_created_at_idx ON keyed_outcome (created_at);
