-- The caps of each session, client or key are those of the budget that has made them: the ledger reads
-- them there. They were kept in the row of each as well, so that lowering the cap in an emergency was a
-- change of as many rows as there ever were sessions.
CREATE FUNCTION budget_of_terms(p_id uuid, p_scope_kind text, p_scope_ref text) RETURNS uuid
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE p_scope_kind WHEN 'each' THEN left(p_scope_ref, 36)::uuid ELSE p_id END
$$;
REVOKE EXECUTE ON FUNCTION budget_of_terms(uuid, text, text) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION budget_of_terms(uuid, text, text) TO gw_app, gw_ledger, gw_platform;

-- The functions of the ledger stay as they are but for these expressions; where one does not stand
-- exactly once, nothing is touched.
DO $$
DECLARE
  pairs text := 'ledger_budget_pairs(uuid[],uuid[],text[],integer[],uuid[],jsonb[],timestamptz)';
  writing text := 'ledger_write(text,bigint,jsonb)';
  budget_joined text := '      LEFT JOIN budget g ON g.id = w.budget_id';
  terms_joined text :=
    'LEFT JOIN budget t ON t.id = budget_of_terms(g.id, g.scope_kind, g.scope_ref)';
  change record;
  installed text;
BEGIN
  FOR change IN SELECT * FROM (VALUES
    (pairs, '    WHERE g.active IS NOT FALSE',
     '    ' || terms_joined || E'\n    WHERE t.active IS NOT FALSE'),
    (writing, 'g.on_cap_reached AS on_cap', 't.on_cap_reached AS on_cap'),
    (writing, 'THEN g.cap_micro + budget_granted', 'THEN t.cap_micro + budget_granted'),
    (writing, budget_joined, budget_joined || E'\n      ' || terms_joined)
  ) AS w(function, before, after) LOOP
    installed := pg_get_functiondef(change.function::regprocedure);
    IF cardinality(string_to_array(installed, change.before)) <> 2 THEN
      RAISE EXCEPTION '% does not hold "%" once', change.function, change.before;
    END IF;
    EXECUTE replace(installed, change.before, change.after);
  END LOOP;
END $$;

-- No step of a ladder is one of a cap of each.
CREATE OR REPLACE VIEW budget_ladder WITH (security_invoker = true) AS
SELECT b.id AS budget_id, b.tenant_id, b.name, b.scope_kind, b.scope_ref, s.period_start,
  CASE b.period
    WHEN 'day' THEN (s.period_start + 1)::timestamp AT TIME ZONE b.time_zone
    WHEN 'month' THEN (s.period_start + interval '1 month') AT TIME ZONE b.time_zone
  END AS period_end,
  COALESCE(c.spent_micro, 0) AS spent_micro, g.cap_micro,
  ARRAY(
    SELECT e.step FROM budget_step e
    WHERE e.budget_id = b.id AND e.period_start = s.period_start AND e.cap_micro >= g.cap_micro
  ) AS recorded
FROM budget b
CROSS JOIN LATERAL (
  SELECT budget_period_start(b.period, b.time_zone, clock_timestamp()) AS period_start
) s
CROSS JOIN LATERAL (
  SELECT b.cap_micro + budget_granted(b.id, s.period_start) AS cap_micro
) g
LEFT JOIN budget_counter c ON c.budget_id = b.id AND c.period_start = s.period_start
WHERE b.ladder AND b.active AND b.scope_kind <> 'policy' AND b.scope_kind <> 'each';
