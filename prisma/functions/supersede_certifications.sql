CREATE OR REPLACE FUNCTION public.supersede_certifications()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
BEGIN
  UPDATE certification SET superseded_at = clock_timestamp()
  WHERE tenant_id = NEW.tenant_id AND tool_key = NEW.contract_key AND status = 'certified'
    AND superseded_at IS NULL
    AND NOT EXISTS (
      SELECT FROM contract_version AS before
      WHERE before.tenant_id = NEW.tenant_id AND before.kind = NEW.kind
        AND before.contract_key = NEW.contract_key AND before.version = NEW.version - 1
        AND before.body - 'signing_generation' = NEW.body - 'signing_generation');
  RETURN NULL;
END $function$;
ALTER ROUTINE supersede_certifications() OWNER TO gw_owner;
