CREATE OR REPLACE FUNCTION public.bi_recent()
 RETURNS TABLE(at timestamp with time zone, feature text, client_id text, provider text, model text, simulated boolean, failed bigint, input_tokens bigint, output_tokens bigint, amount_micro bigint, vat_micro bigint)
 LANGUAGE plpgsql
 STABLE
AS $function$
DECLARE mark public.reader_mark;
BEGIN
  SELECT * INTO mark FROM public.reader_mark m WHERE m.name = 'usage_rollup';
  RETURN QUERY EXECUTE format('SELECT created_at, feature, client_id, provider, model, simulated,
      (status = ''failed'')::int::bigint,
      (input_uncached + input_cached + cache_write)::bigint,
      (output_text + output_reasoning)::bigint, amount_micro, vat_micro
    FROM public.usage_event WHERE (txid, seq) > (%s, %s)',
    coalesce(mark.txid, 0), coalesce(mark.seq, 0));
END $function$;
ALTER ROUTINE bi_recent() OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE bi_recent() TO gw_bi;
