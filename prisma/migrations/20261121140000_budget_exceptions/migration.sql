-- Requests to spend more than a budget's cap in one period.

-- CreateTable
CREATE TABLE "budget_exception" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "policy_id" UUID NOT NULL,
    "budget_id" UUID NOT NULL,
    "period_start" DATE NOT NULL,
    "amount_micro" BIGINT NOT NULL,
    "reason" TEXT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "approval_id" UUID,
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
ALTER TABLE budget_exception ADD CHECK (amount_micro > 0);
