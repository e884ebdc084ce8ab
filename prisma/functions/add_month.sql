CREATE OR REPLACE PROCEDURE public.add_month(IN p_table text, IN p_month date)
 LANGUAGE plpgsql
AS $procedure$
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
END $procedure$;
ALTER ROUTINE add_month(text,date) OWNER TO gw_owner;
