-- The usage row of a request whose answer never came: what was known when it was held.
CREATE OR REPLACE FUNCTION public.usage_of_lost(p_known jsonb, p_code text)
 RETURNS jsonb
 LANGUAGE sql
 IMMUTABLE
AS $function$
  SELECT CASE WHEN p_known IS NOT NULL THEN
    '{"input_uncached": 0, "input_cached": 0, "cache_write": 0, "output_text": 0,
      "output_reasoning": 0, "usage_source": "estimated", "http_status": 503, "latency_ms": 0,
      "overhead_us": 0, "attempts": 0, "policy_versions": {}, "firewall_findings": {},
      "metadata": {}, "data_class": "C0", "prices": {"effective_from": "", "input_uncached": "0",
      "input_cached": "0", "cache_write": "0", "output_text": "0", "output_reasoning": "0"}}'::jsonb
    || p_known || jsonb_build_object('status', 'failed', 'error_code', p_code)
  END
$function$;
ALTER ROUTINE usage_of_lost(jsonb,text) OWNER TO gw_ledger;
