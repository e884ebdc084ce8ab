-- Requests to spend more than a budget's cap in one period. What is granted is added to the cap
-- wherever the ledger reads it; the budget itself never changes.

-- CreateTable
CREATE TABLE "budget_exception" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "policy_id" UUID NOT NULL,
    "budget_id" UUID NOT NULL,
    "period" TEXT NOT NULL,
    "period_start" DATE NOT NULL,
    "amount_micro" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "approval_id" UUID NOT NULL,
    "request_id" TEXT,
    "requested_by" UUID NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT clock_timestamp(),
    "decided_at" TIMESTAMPTZ(3),

    CONSTRAINT "budget_exception_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "budget_exception_approval_id_key" ON "budget_exception"("approval_id");

-- CreateIndex
CREATE INDEX "budget_exception_tenant_id_id_idx" ON "budget_exception"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "budget_exception_budget_id_period_start_idx" ON "budget_exception"("budget_id", "period_start");

ALTER TABLE budget_exception ADD CHECK (status IN ('pending', 'granted', 'rejected', 'expired'));
ALTER TABLE budget_exception ADD CHECK (period IN ('day', 'month'));
ALTER TABLE budget_exception ADD CHECK (amount_micro > 0);

-- What exceptions have added to the cap of a budget in one period. In PL/pgSQL, so that its plan is
-- kept: the ledger asks for every budget and period of a batch, once for each, and by the index
-- also while the table is too young to have statistics. The bound keeps the
-- sum with any cap inside a bigint: an overflow would stop the batches of all tenants.
CREATE FUNCTION budget_granted(p_budget uuid, p_period_start date) RETURNS bigint
LANGUAGE plpgsql STABLE SET enable_seqscan = off AS $$
BEGIN
  RETURN (
    SELECT LEAST(COALESCE(sum(amount_micro), 0), 4000000000000000000) FROM budget_exception
    WHERE budget_id = p_budget AND period_start = p_period_start AND status = 'granted'
  );
END $$;

-- ledger_write stays as it is, except that the cap of a period now includes what was granted for
-- it. The one expression is replaced in the function that is installed, and a function that does
-- not hold it exactly once is not touched.
DO $$
DECLARE
  installed text := pg_get_functiondef('ledger_write(text, bigint, jsonb)'::regprocedure);
  cap text := 'THEN g.cap_micro END AS cap';
  cap_with_granted text :=
    'THEN g.cap_micro + budget_granted(w.budget_id, w.period_start) END AS cap';
BEGIN
  IF cardinality(string_to_array(installed, cap)) <> 2 THEN
    RAISE EXCEPTION 'ledger_write does not read the cap of a budget where it is expected';
  END IF;
  EXECUTE replace(installed, cap, cap_with_granted);
END $$;
