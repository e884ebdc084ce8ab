-- Sums of usage rows, so that a report over a year reads a few thousand cells and not every request.
-- A cell is an hour, a day or a month (of Moscow) of one combination of the dimensions of its cube.
-- Cells hold the rows up to the mark `usage_rollup`; what stands after it is read from the rows.
--
-- A sketch is a histogram whose buckets grow geometrically (DDSketch, VLDB 2019): one element for
-- each bucket, its number in the high bits and its count in the low 40.

-- One element for each bucket.
CREATE FUNCTION usage_sketch(elements bigint[]) RETURNS bigint[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT coalesce(array_agg((bucket << 40) + n ORDER BY bucket), '{}')
  FROM (SELECT e >> 40 AS bucket, sum(e & 1099511627775)::bigint AS n
        FROM unnest(elements) AS e GROUP BY 1) each
$$;

-- Merges sketches. What is gathered is compacted now and then, so that copying stays linear.
CREATE FUNCTION usage_sketch_add(state bigint[], elements bigint[]) RETURNS bigint[]
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
  IF elements IS NULL THEN RETURN state; END IF;
  IF cardinality(state) + cardinality(elements) > 4096 THEN
    RETURN public.usage_sketch(state || elements);
  END IF;
  RETURN state || elements;
END $$;

CREATE AGGREGATE usage_sketch_sum(bigint[]) (
  SFUNC = usage_sketch_add, STYPE = bigint[], FINALFUNC = usage_sketch, INITCOND = '{}'
);

CREATE TABLE usage_rollup (
  tenant_id uuid NOT NULL,
  cube text NOT NULL,
  grain text NOT NULL CHECK (grain IN ('hour', 'day', 'month')),
  starts_at timestamptz(3) NOT NULL,
  -- The hash of the dimensions, which may be null.
  cell bytea NOT NULL CHECK (octet_length(cell) = 32),
  operation text,
  route text,
  provider text,
  model text,
  feature text,
  client_id text,
  key_id uuid,
  project_id uuid,
  environment text,
  prompt_version text,
  simulated boolean NOT NULL,
  origin text,
  requests bigint NOT NULL,
  complete bigint NOT NULL,
  partial bigint NOT NULL,
  failed bigint NOT NULL,
  refused bigint NOT NULL,
  cached bigint NOT NULL,
  input_uncached bigint NOT NULL,
  input_cached bigint NOT NULL,
  cache_write bigint NOT NULL,
  output_text bigint NOT NULL,
  output_reasoning bigint NOT NULL,
  cost_micro bigint NOT NULL,
  amount_micro bigint NOT NULL,
  vat_micro bigint NOT NULL,
  attempts bigint NOT NULL,
  latency_ms bigint NOT NULL,
  overhead_us bigint NOT NULL,
  -- Where the rows of a cell stand among those of the tenant.
  seq_min bigint NOT NULL,
  seq_max bigint NOT NULL,
  latency_sketch bigint[] NOT NULL DEFAULT '{}',
  first_token_sketch bigint[] NOT NULL DEFAULT '{}',
  input_sketch bigint[] NOT NULL DEFAULT '{}',
  output_sketch bigint[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (tenant_id, cube, grain, starts_at, cell)
) WITH (fillfactor = 70);

-- Made anew from the rows whenever it is needed, and therefore the one table of money that changes.
CALL keep_to_tenant('usage_rollup', 'SELECT, INSERT, UPDATE, DELETE');
REVOKE INSERT, UPDATE, DELETE ON usage_rollup FROM gw_app;

GRANT EXECUTE ON FUNCTION usage_sketch(bigint[]), usage_sketch_add(bigint[], bigint[]),
  usage_sketch_sum(bigint[])
TO gw_app, gw_platform;
