-- Usage and events of feeds are kept by months, so that a month can be exported and dropped. Their
-- ids begin with the time at which they were made, and the month of a row is that of its id: so the
-- unique keys that the id is part of stay exact over all months. Months begin in Moscow, as those of
-- reports and closes do.

-- The months stand in a schema of their own, into which nobody but their owner sees: rows are read
-- and written through the table that they are months of, with its policies and rights. The start has
-- made it; Prisma's own command line, which does not know it, has not.
DO $$ BEGIN
  IF to_regnamespace('gw_months') IS NULL THEN CREATE SCHEMA gw_months; END IF;
END $$;

-- Every month that was ever made, and of one that was dropped what it held. `until_month` begins
-- what is after it; the first one has no begin.
CREATE TABLE month_partition (
  of_table text NOT NULL,
  name text NOT NULL,
  from_month date,
  until_month date NOT NULL,
  made_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  dropped_at timestamptz(3),
  rows bigint,
  bytes bigint,
  -- Of the file that it was exported to.
  sha256 bytea,
  PRIMARY KEY (of_table, until_month),
  CHECK ((dropped_at IS NULL) = (rows IS NULL)),
  CHECK ((dropped_at IS NULL) = (bytes IS NULL)),
  CHECK ((dropped_at IS NULL) = (sha256 IS NULL))
);
GRANT SELECT ON month_partition TO gw_app, gw_platform;

-- What an organization had in a month that was dropped, and the place of the last row of it: a reader
-- that comes from before it has missed some, and is told. Lines of the ledger, which stay, are held
-- against the sums of usage. `feed` is empty where a table is none of several feeds.
CREATE TABLE dropped_rows (
  tenant_id uuid NOT NULL,
  of_table text NOT NULL,
  feed text NOT NULL,
  until_month date NOT NULL,
  rows bigint NOT NULL,
  txid bigint NOT NULL,
  seq bigint NOT NULL,
  charges bigint NOT NULL,
  amount_micro numeric NOT NULL,
  vat_micro numeric NOT NULL,
  PRIMARY KEY (tenant_id, of_table, feed, until_month)
);
CALL make_append_only('dropped_rows');
CALL keep_to_tenant('dropped_rows', 'SELECT');

-- The least id of a month.
CREATE FUNCTION month_start_id(p_month date) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT rpad(lpad(to_hex((extract(epoch FROM p_month::timestamp AT TIME ZONE 'Europe/Moscow')
    * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;
GRANT EXECUTE ON FUNCTION month_start_id(date) TO gw_app, gw_platform;

-- The first day of the month that a moment is in.
CREATE FUNCTION month_of(p_at timestamptz) RETURNS date LANGUAGE sql STABLE AS $$
  SELECT date_trunc('month', p_at AT TIME ZONE 'Europe/Moscow')::date
$$;

-- An empty table like one that is kept by months. What rows must be, and how they are found, comes
-- with the attaching; places (txid, seq) come from one counter, and each month is exact about its own.
CREATE PROCEDURE make_month_table(p_table text, p_name text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE format('CREATE TABLE gw_months.%I (LIKE public.%I INCLUDING DEFAULTS
    INCLUDING CONSTRAINTS INCLUDING STORAGE, UNIQUE (txid, seq))', p_name, p_table);
  CALL close_month(p_name);
END $$;

-- A month belongs to nobody but its owner, also where somebody finds it.
CREATE PROCEDURE close_month(p_name text) LANGUAGE plpgsql AS $$
DECLARE part regclass := format('gw_months.%I', p_name)::regclass;
BEGIN
  EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', part);
  EXECUTE format('ALTER TABLE %s FORCE ROW LEVEL SECURITY', part);
  EXECUTE format('CREATE POLICY all_rows ON %s TO gw_owner USING (true)', part);
  EXECUTE format('CREATE TRIGGER append_only_table BEFORE TRUNCATE ON %s
                  FOR EACH STATEMENT EXECUTE FUNCTION forbid_change()', part);
  EXECUTE format('ALTER TABLE %s ENABLE ALWAYS TRIGGER append_only_table', part);
END $$;

-- Makes the next month of a table. Rows of it that came before it was made stand in the rest, and are
-- taken out of there: as long as that takes, nobody else reads or writes the table.
CREATE PROCEDURE add_month(p_table text, p_month date) LANGUAGE plpgsql AS $$
DECLARE
  low uuid := month_start_id(p_month);
  high uuid := month_start_id((p_month + interval '1 month')::date);
  part text := p_table || '_' || to_char(p_month, 'YYYY_MM');
  rest text := p_table || '_rest';
  has_rows boolean;
BEGIN
  EXECUTE format('SELECT EXISTS (SELECT FROM gw_months.%I WHERE id >= %L AND id < %L)',
                 rest, low, high) INTO has_rows;
  CALL make_month_table(p_table, part);
  IF has_rows THEN
    EXECUTE format('ALTER TABLE public.%I DETACH PARTITION gw_months.%I', p_table, rest);
    EXECUTE format('ALTER TABLE gw_months.%I RENAME TO %I', rest, rest || '_before');
    EXECUTE format('ALTER TABLE gw_months.%I RENAME CONSTRAINT %I TO %I', rest || '_before',
                   rest || '_txid_seq_key', rest || '_before_txid_seq_key');
  END IF;
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION gw_months.%I
    FOR VALUES FROM (%L) TO (%L)', p_table, part, low, high);
  IF has_rows THEN
    CALL make_month_table(p_table, rest);
    EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION gw_months.%I DEFAULT', p_table, rest);
    EXECUTE format('INSERT INTO public.%I SELECT * FROM gw_months.%I', p_table, rest || '_before');
    EXECUTE format('DROP TABLE gw_months.%I', rest || '_before');
  END IF;
  INSERT INTO month_partition (of_table, name, from_month, until_month)
    VALUES (p_table, part, p_month, (p_month + interval '1 month')::date);
END $$;

-- Makes the months up to so many ahead of this one, once over all nodes. Whoever finds another at it
-- leaves it to that one. No request waits long for it: where a lock is not had at once, it fails and
-- is tried again. Returns how many were made.
CREATE FUNCTION make_months(p_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER
SET search_path = pg_catalog, public, pg_temp SET lock_timeout = '1s' AS $$
DECLARE each text; next date; made int := 0;
BEGIN
  IF p_ahead NOT BETWEEN 0 AND 24 THEN
    RAISE EXCEPTION '% months ahead', p_ahead USING ERRCODE = '22003';
  END IF;
  IF NOT pg_try_advisory_xact_lock(hashtext('make_months')) THEN RETURN 0; END IF;
  FOREACH each IN ARRAY ARRAY['usage_event', 'feed_event'] LOOP
    LOOP
      SELECT max(until_month) INTO next FROM month_partition WHERE of_table = each;
      EXIT WHEN next > month_of(clock_timestamp()) + p_ahead * interval '1 month';
      CALL add_month(each, next);
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;
GRANT EXECUTE ON FUNCTION make_months(int) TO gw_platform;

-- How far the months of each table reach, and how many rows stand beyond them. What is in the rest
-- for a month that was dropped is late and not a fault.
CREATE FUNCTION months_standing() RETURNS TABLE (
  of_table text, until_month date, beyond bigint, late bigint
) LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path = pg_catalog, public, pg_temp AS $$
DECLARE each record;
BEGIN
  FOR each IN
    SELECT m.of_table, max(m.until_month) AS until_month FROM month_partition m GROUP BY 1 ORDER BY 1
  LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %L::text, %L::date, count(*) FILTER (WHERE id >= %L),
         count(*) FILTER (WHERE id < %L) FROM gw_months.%I',
      each.of_table, each.until_month, month_start_id(each.until_month),
      month_start_id(each.until_month), each.of_table || '_rest');
  END LOOP;
END $$;
GRANT EXECUTE ON FUNCTION months_standing() TO gw_platform;

-- What is there becomes the first month as it is, up to the begin of the next: no row is written
-- anew and no index is made again. The check that proves its bound reads it once. Views that read the
-- table are told anew what they read.
CREATE PROCEDURE keep_by_months(p_table text, p_key text, p_indexes text[], p_unread text[])
LANGUAGE plpgsql AS $$
DECLARE
  next_month date := (month_of(clock_timestamp()) + interval '1 month')::date;
  bound uuid := month_start_id(next_month);
  part text := p_table || '_first';
  rest text := p_table || '_rest';
  counter text := pg_get_serial_sequence(p_table, 'seq');
  views text[]; texts text[]; beyond bigint; each text; i int;
BEGIN
  SELECT array_agg(v.oid::regclass::text), array_agg(pg_get_viewdef(v.oid)) INTO views, texts
  FROM pg_class v WHERE v.relkind = 'v' AND EXISTS (
    SELECT FROM pg_rewrite r JOIN pg_depend d ON d.objid = r.oid
    WHERE d.classid = 'pg_rewrite'::regclass AND r.ev_class = v.oid
      AND d.refobjid = p_table::regclass);

  -- The table goes out of sight, without its policies and rights; its counter stays.
  EXECUTE format('ALTER SEQUENCE %s OWNED BY NONE', counter);
  FOR each IN SELECT polname FROM pg_policy WHERE polrelid = p_table::regclass LOOP
    EXECUTE format('DROP POLICY %I ON %I', each, p_table);
  END LOOP;
  EXECUTE format('REVOKE ALL ON %I FROM gw_app, gw_platform, gw_ledger, gw_bi', p_table);
  FOR each IN SELECT tgname FROM pg_trigger WHERE tgrelid = p_table::regclass AND NOT tgisinternal
  LOOP
    EXECUTE format('DROP TRIGGER %I ON %I', each, p_table);
  END LOOP;
  EXECUTE format('ALTER TABLE %I RENAME TO %I', p_table, part);
  EXECUTE format('ALTER TABLE %I SET SCHEMA gw_months', part);
  CALL close_month(part);
  FOREACH each IN ARRAY p_unread LOOP EXECUTE each; END LOOP;

  EXECUTE format('CREATE TABLE public.%I (LIKE gw_months.%I INCLUDING DEFAULTS
    INCLUDING CONSTRAINTS INCLUDING STORAGE, PRIMARY KEY (%s)) PARTITION BY RANGE (id)',
    p_table, part, p_key);
  EXECUTE format('ALTER SEQUENCE %s OWNED BY public.%I.seq', counter, p_table);
  FOREACH each IN ARRAY p_indexes LOOP EXECUTE each; END LOOP;
  CALL make_append_only(p_table::regclass);

  -- Ids from a clock that was ahead, or of another making, go to the rest.
  CALL make_month_table(p_table, rest);
  EXECUTE format('INSERT INTO gw_months.%I SELECT * FROM gw_months.%I WHERE id >= %L',
                 rest, part, bound);
  GET DIAGNOSTICS beyond = ROW_COUNT;
  IF beyond > 0 THEN
    EXECUTE format('DELETE FROM gw_months.%I WHERE id >= %L', part, bound);
  END IF;
  EXECUTE format('ALTER TABLE gw_months.%I ADD CONSTRAINT of_month CHECK (id < %L)', part, bound);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION gw_months.%I
    FOR VALUES FROM (MINVALUE) TO (%L)', p_table, part, bound);
  EXECUTE format('ALTER TABLE gw_months.%I DROP CONSTRAINT of_month', part);
  EXECUTE format('ALTER TABLE public.%I ATTACH PARTITION gw_months.%I DEFAULT', p_table, rest);
  INSERT INTO month_partition (of_table, name, until_month) VALUES (p_table, part, next_month);

  FOR i IN 1 .. COALESCE(cardinality(views), 0) LOOP
    EXECUTE format('CREATE OR REPLACE VIEW %s WITH (security_invoker = true) AS %s',
                   views[i], texts[i]);
  END LOOP;
END $$;

CALL keep_by_months('usage_event', 'tenant_id, id', ARRAY[
  'CREATE INDEX usage_event_tenant_id_seq_idx ON usage_event (tenant_id, seq)',
  'CREATE INDEX usage_event_created_at_idx ON usage_event USING BRIN (created_at)',
  $i$CREATE INDEX usage_event_prompt_idx ON usage_event
    (tenant_id, (metadata -> 'gw_prompt' ->> 'prompt_id'), (metadata -> 'gw_prompt' ->> 'version'))
    WHERE metadata ? 'gw_prompt'$i$,
  $i$CREATE INDEX usage_event_decisions ON usage_event (tenant_id, created_at)
    WHERE metadata ? 'gw_routing'$i$,
  $i$CREATE INDEX usage_event_of_workspace
    ON usage_event (tenant_id, ((metadata -> 'gw_workspace') ->> 'id'), created_at)
    WHERE metadata ? 'gw_workspace'$i$
], '{}');
CALL keep_to_tenant('usage_event', 'SELECT');
GRANT SELECT, INSERT ON usage_event TO gw_ledger;
CREATE POLICY bi_rows ON usage_event FOR SELECT TO gw_bi USING (tenant_id = (SELECT bi_tenant()));
GRANT SELECT (
  tenant_id, id, seq, txid, project_id, key_id, operation, requested_model, model, provider, route,
  simulated, feature, environment, client_id, input_uncached, input_cached, cache_write, output_text,
  output_reasoning, amount_micro, vat_micro, vat_rate_basis_points, cost_micro, status, error_code,
  http_status, latency_ms, time_to_first_token_ms, created_at
) ON usage_event TO gw_bi;

-- An event is known by its id; its place is found by organization and feed.
CALL keep_by_months('feed_event', 'id', ARRAY[
  'CREATE INDEX feed_event_tenant_id_feed_txid_seq_idx ON feed_event (tenant_id, feed, txid, seq)',
  'CREATE INDEX feed_event_traced ON feed_event (tenant_id, subject_id, seq) WHERE trace IS NOT NULL'
], ARRAY[
  'ALTER TABLE gw_months.feed_event_first DROP CONSTRAINT feed_event_pkey',
  'ALTER TABLE gw_months.feed_event_first
     ADD CONSTRAINT feed_event_first_pkey PRIMARY KEY USING INDEX feed_event_id_key'
]);
CREATE TRIGGER feed_wake AFTER INSERT ON feed_event
  FOR EACH ROW EXECUTE FUNCTION notify_feed();
CALL keep_to_tenant('feed_event', 'SELECT, INSERT');

DROP PROCEDURE keep_by_months(text, text, text[], text[]);
SELECT make_months(3);
