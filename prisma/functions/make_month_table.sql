CREATE OR REPLACE PROCEDURE public.make_month_table(IN p_table text, IN p_name text)
 LANGUAGE plpgsql
AS $procedure$
BEGIN
  EXECUTE format('CREATE TABLE gw_months.%I (LIKE public.%I INCLUDING DEFAULTS
    INCLUDING CONSTRAINTS INCLUDING STORAGE, UNIQUE (txid, seq))', p_name, p_table);
  CALL close_month(p_name);
END $procedure$;
ALTER ROUTINE make_month_table(text,text) OWNER TO gw_owner;
