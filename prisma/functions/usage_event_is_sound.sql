-- What each usage row must obey: nothing is charged beyond its cost, and nothing for a failure.
CREATE OR REPLACE FUNCTION public.usage_event_is_sound(p_operation text, p_status text, p_usage_source text, p_cost bigint, p_amount bigint)
 RETURNS boolean
 LANGUAGE plpgsql
 IMMUTABLE PARALLEL SAFE
AS $function$
BEGIN
  RETURN p_operation IN ('chat', 'embeddings')
    AND p_status IN ('complete', 'partial', 'failed')
    AND p_usage_source IN ('upstream', 'estimated')
    AND p_amount BETWEEN 0 AND p_cost
    AND (p_status <> 'failed' OR p_amount = 0);
END $function$;
ALTER ROUTINE usage_event_is_sound(text,text,text,bigint,bigint) OWNER TO gw_owner;
GRANT EXECUTE ON ROUTINE usage_event_is_sound(text,text,text,bigint,bigint) TO gw_ledger;
