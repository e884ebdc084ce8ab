-- Billing integrity compares two traces, ledger and usage. What was compared is kept as proof, so
-- that a check of a month reads its hours and not every row; it is made from the rows behind the
-- marks of its readers, and can be made anew from them.

-- What the lines and rows of an hour add up to.
CREATE TABLE integrity_hour (
  tenant_id uuid NOT NULL,
  hour timestamptz(3) NOT NULL,
  holds bigint NOT NULL DEFAULT 0,
  charges bigint NOT NULL DEFAULT 0,
  releases bigint NOT NULL DEFAULT 0,
  charged_micro numeric NOT NULL DEFAULT 0,
  served bigint NOT NULL DEFAULT 0,
  failed bigint NOT NULL DEFAULT 0,
  used_micro numeric NOT NULL DEFAULT 0,
  replayed_micro numeric NOT NULL DEFAULT 0,
  -- Where the lines and rows of the hour stand, so that a part of an hour is read by itself.
  version_min bigint,
  version_max bigint,
  seq_min bigint,
  seq_max bigint,
  PRIMARY KEY (tenant_id, hour)
) WITH (fillfactor = 70);

-- Requests that are not whole: what both traces say of each, and what is wrong with it. One without
-- faults is under way.
CREATE TABLE integrity_finding (
  tenant_id uuid NOT NULL,
  request_id uuid NOT NULL,
  holds int NOT NULL,
  charges int NOT NULL,
  releases int NOT NULL,
  charged_micro numeric,
  charged_vat_micro numeric,
  charged_rate int,
  status text,
  used_micro numeric,
  used_vat_micro numeric,
  used_rate int,
  replayed_micro numeric,
  price_begun boolean,
  held_at timestamptz(3),
  ended_at timestamptz(3),
  used_at timestamptz(3),
  faults text[] NOT NULL,
  PRIMARY KEY (tenant_id, request_id)
);

-- Tenants read them; the readers that bring them forward work for all tenants.
CALL keep_to_tenant('integrity_hour', 'SELECT');
CALL keep_to_tenant('integrity_finding', 'SELECT');
GRANT INSERT, UPDATE, DELETE ON integrity_hour, integrity_finding TO gw_platform;

-- How far the proof is behind is told by the counters, without a look at the rows.
GRANT SELECT ON SEQUENCE ledger_entry_seq_seq, usage_event_seq_seq TO gw_app, gw_platform;
