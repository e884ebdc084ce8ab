-- Money: accounts, holds, the ledger, usage, budgets, and the nodes that may write them.

-- CreateTable
CREATE TABLE "account" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "posted_micro" BIGINT NOT NULL DEFAULT 0,
    "held_micro" BIGINT NOT NULL DEFAULT 0,
    "credit_limit_micro" BIGINT NOT NULL DEFAULT 0,
    "version" BIGINT NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "account_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "hold" (
    "account_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "amount_micro" BIGINT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'open',
    "charged_micro" BIGINT,
    "uncollected_micro" BIGINT NOT NULL DEFAULT 0,
    "refunded_micro" BIGINT NOT NULL DEFAULT 0,
    "budget_ids" UUID[] DEFAULT ARRAY[]::UUID[],
    "period_starts" DATE[] DEFAULT ARRAY[]::DATE[],
    "node_id" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL,
    "checkpoint_micro" BIGINT,
    "checkpoint_usage" JSONB,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "hold_pkey" PRIMARY KEY ("account_id","request_id")
);

-- CreateTable
CREATE TABLE "ledger_entry" (
    "account_id" UUID NOT NULL,
    "account_version" BIGINT NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "txid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "tenant_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "request_id" UUID NOT NULL,
    "charged_request_id" UUID,
    "contra" TEXT NOT NULL,
    "amount_micro" BIGINT NOT NULL,
    "posted_delta" BIGINT NOT NULL,
    "held_delta" BIGINT NOT NULL,
    "posted_after" BIGINT NOT NULL,
    "held_after" BIGINT NOT NULL,
    "vat_rate_basis_points" INTEGER,
    "vat_micro" BIGINT NOT NULL DEFAULT 0,
    "description" TEXT,
    "actor_id" UUID,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_entry_pkey" PRIMARY KEY ("account_id","account_version")
);

-- CreateTable
CREATE TABLE "ledger_overrun" (
    "account_id" UUID NOT NULL,
    "request_id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "held_micro" BIGINT NOT NULL,
    "cost_micro" BIGINT NOT NULL,
    "charged_micro" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "ledger_overrun_pkey" PRIMARY KEY ("account_id","request_id")
);

-- CreateTable
CREATE TABLE "usage_event" (
    "tenant_id" UUID NOT NULL,
    "id" UUID NOT NULL,
    "seq" BIGSERIAL NOT NULL,
    "txid" BIGINT NOT NULL DEFAULT ((pg_current_xact_id())::text)::bigint,
    "account_id" UUID NOT NULL,
    "project_id" UUID NOT NULL,
    "key_id" UUID,
    "user_id" UUID,
    "operation" TEXT NOT NULL,
    "requested_model" TEXT NOT NULL,
    "model" TEXT NOT NULL,
    "provider" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "simulated" BOOLEAN NOT NULL,
    "feature" TEXT,
    "environment" TEXT,
    "client_id" TEXT,
    "input_uncached" INTEGER NOT NULL,
    "input_cached" INTEGER NOT NULL,
    "cache_write" INTEGER NOT NULL,
    "output_text" INTEGER NOT NULL,
    "output_reasoning" INTEGER NOT NULL,
    "raw_usage" JSONB,
    "usage_source" TEXT NOT NULL,
    "prices" JSONB NOT NULL,
    "cost_micro" BIGINT NOT NULL,
    "amount_micro" BIGINT NOT NULL,
    "vat_rate_basis_points" INTEGER NOT NULL,
    "vat_micro" BIGINT NOT NULL,
    "status" TEXT NOT NULL,
    "error_code" TEXT,
    "http_status" INTEGER NOT NULL,
    "finish_reason" TEXT,
    "streamed" BOOLEAN NOT NULL,
    "latency_ms" INTEGER NOT NULL,
    "time_to_first_token_ms" INTEGER,
    "upstream_ms" INTEGER,
    "overhead_us" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "policy_versions" JSONB NOT NULL,
    "data_class" TEXT NOT NULL,
    "firewall_findings" JSONB NOT NULL,
    "metadata" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "usage_event_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "budget" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "policy_id" UUID,
    "scope_kind" TEXT NOT NULL DEFAULT 'policy',
    "scope_ref" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "period" TEXT NOT NULL,
    "time_zone" TEXT NOT NULL DEFAULT 'Europe/Moscow',
    "cap_micro" BIGINT NOT NULL,
    "active" BOOLEAN NOT NULL DEFAULT true,
    "created_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "budget_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "budget_counter" (
    "budget_id" UUID NOT NULL,
    "period_start" DATE NOT NULL,
    "tenant_id" UUID NOT NULL,
    "spent_micro" BIGINT NOT NULL DEFAULT 0,
    "held_micro" BIGINT NOT NULL DEFAULT 0,
    "cap_micro" BIGINT NOT NULL,
    "overrun_micro" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "budget_counter_pkey" PRIMARY KEY ("budget_id","period_start")
);

-- CreateTable
CREATE TABLE "gateway_node" (
    "node_id" TEXT NOT NULL,
    "epoch" BIGINT NOT NULL DEFAULT 1,
    "owner" UUID NOT NULL,
    "seen_at" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "retired_at" TIMESTAMPTZ(3),

    CONSTRAINT "gateway_node_pkey" PRIMARY KEY ("node_id")
);

-- CreateTable
CREATE TABLE "vat_rate" (
    "effective_from" DATE NOT NULL,
    "basis_points" INTEGER NOT NULL,

    CONSTRAINT "vat_rate_pkey" PRIMARY KEY ("effective_from")
);

-- CreateIndex
CREATE UNIQUE INDEX "account_tenant_id_key" ON "account"("tenant_id");

-- CreateIndex
CREATE INDEX "ledger_entry_created_at_idx" ON "ledger_entry" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_account_id_request_id_type_key" ON "ledger_entry"("account_id", "request_id", "type");

-- CreateIndex
CREATE UNIQUE INDEX "ledger_entry_txid_seq_key" ON "ledger_entry"("txid", "seq");

-- CreateIndex
CREATE INDEX "ledger_overrun_tenant_id_idx" ON "ledger_overrun"("tenant_id");

-- CreateIndex
CREATE INDEX "usage_event_tenant_id_seq_idx" ON "usage_event"("tenant_id", "seq");

-- CreateIndex
CREATE INDEX "usage_event_created_at_idx" ON "usage_event" USING BRIN ("created_at");

-- CreateIndex
CREATE UNIQUE INDEX "usage_event_txid_seq_key" ON "usage_event"("txid", "seq");

-- CreateIndex
CREATE INDEX "budget_tenant_id_id_idx" ON "budget"("tenant_id", "id");

-- CreateIndex
CREATE INDEX "budget_policy_id_idx" ON "budget"("policy_id");

-- CreateIndex
CREATE INDEX "budget_counter_tenant_id_idx" ON "budget_counter"("tenant_id");

-- AddForeignKey
ALTER TABLE "budget_counter" ADD CONSTRAINT "budget_counter_budget_id_fkey" FOREIGN KEY ("budget_id") REFERENCES "budget"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

CALL make_append_only('ledger_entry');
CALL make_append_only('ledger_overrun');
CALL make_append_only('usage_event');

-- Rows that every request changes get room for it on their own page.
ALTER TABLE account SET (fillfactor = 50);
ALTER TABLE budget_counter SET (fillfactor = 50);
ALTER TABLE hold SET (fillfactor = 70);

-- The ledger's tables do not reference the account by a foreign key: its functions, which alone
-- write them, hold the account's row locked, and no account can be removed.
CREATE TRIGGER no_removal BEFORE DELETE ON account
  FOR EACH ROW EXECUTE FUNCTION forbid_change();

ALTER TABLE account ADD CHECK (held_micro >= 0);
ALTER TABLE account ADD CHECK (credit_limit_micro >= 0);
ALTER TABLE account
  ADD CONSTRAINT no_overdraft CHECK (posted_micro - held_micro >= -credit_limit_micro);

ALTER TABLE hold ADD CHECK (amount_micro >= 0);
ALTER TABLE hold ADD CHECK (state IN ('open', 'finalized', 'delivered', 'refunded', 'released'));
ALTER TABLE hold
  ADD CHECK ((state IN ('finalized', 'delivered', 'refunded')) = (charged_micro IS NOT NULL));
ALTER TABLE hold ADD CHECK (refunded_micro BETWEEN 0 AND COALESCE(charged_micro, 0));
ALTER TABLE hold ADD CHECK (cardinality(budget_ids) = cardinality(period_starts));
-- What recovery looks for. Without it, recovery reads all holds that ever were.
CREATE INDEX hold_unresolved ON hold (node_id, epoch) WHERE state IN ('open', 'finalized');

ALTER TABLE ledger_entry ADD CHECK (type IN
  ('top_up', 'hold', 'finalize', 'release', 'refund', 'adjustment', 'credit'));
ALTER TABLE ledger_entry ADD CHECK (amount_micro >= 0);
ALTER TABLE ledger_entry
  ADD CHECK ((vat_rate_basis_points IS NULL) = (type IN ('hold', 'release')));
-- Money lines are few beside those of requests; lists by type find them without reading these.
CREATE INDEX ledger_entry_by_person ON ledger_entry (account_id, account_version)
  WHERE type IN ('top_up', 'refund', 'adjustment', 'credit');

ALTER TABLE usage_event ADD CHECK (operation IN ('chat', 'embeddings'));
ALTER TABLE usage_event ADD CHECK (status IN ('complete', 'partial', 'failed'));
ALTER TABLE usage_event ADD CHECK (usage_source IN ('upstream', 'estimated'));
ALTER TABLE usage_event ADD CHECK (amount_micro BETWEEN 0 AND cost_micro);
ALTER TABLE usage_event ADD CHECK (status <> 'failed' OR amount_micro = 0);

ALTER TABLE budget ADD CHECK (period IN ('day', 'month', 'total'));
ALTER TABLE budget ADD CHECK (cap_micro >= 0);
ALTER TABLE budget_counter ADD CHECK (spent_micro >= 0);
ALTER TABLE budget_counter ADD CHECK (held_micro >= 0);
ALTER TABLE budget_counter
  ADD CONSTRAINT no_overspend CHECK (spent_micro + held_micro <= cap_micro + overrun_micro);

INSERT INTO vat_rate (effective_from, basis_points) VALUES
  ('2004-01-01', 1800),
  ('2019-01-01', 2000),
  ('2026-01-01', 2200);

-- The rate for a service rendered on a day of Moscow time.
CREATE FUNCTION vat_rate_on(p_day date) RETURNS int LANGUAGE sql STABLE AS $$
  SELECT basis_points FROM vat_rate WHERE effective_from <= p_day
  ORDER BY effective_from DESC LIMIT 1
$$;

-- The tax inside a gross amount: gross × rate / (1 + rate), half up.
CREATE FUNCTION vat_inside(p_gross bigint, p_basis_points int) RETURNS bigint
LANGUAGE sql IMMUTABLE AS $$
  SELECT div(2 * p_gross::numeric * p_basis_points + 10000 + p_basis_points,
             2 * (10000 + p_basis_points))::bigint
$$;

-- The first day of the period that a moment falls into; a budget in total has one period.
CREATE FUNCTION budget_period_start(p_period text, p_time_zone text, p_at timestamptz) RETURNS date
LANGUAGE sql STABLE AS $$
  SELECT CASE p_period
    WHEN 'day' THEN (p_at AT TIME ZONE p_time_zone)::date
    WHEN 'month' THEN date_trunc('month', p_at AT TIME ZONE p_time_zone)::date
    ELSE DATE '1970-01-01'
  END
$$;

-- Double entry: each line as legs that sum to zero. The customer's side comes from the deltas, the
-- other side from the amount, so that a line whose parts disagree shows in the trial balance.
CREATE VIEW ledger_posting AS
SELECT e.seq, e.txid, e.tenant_id, e.account_id, e.account_version, e.type, e.request_id,
       leg.name AS leg, leg.amount_micro, e.created_at
FROM ledger_entry e
CROSS JOIN LATERAL (
  SELECT CASE
           WHEN e.type IN ('hold', 'release') THEN 0
           WHEN e.type = 'finalize' OR (e.type = 'adjustment' AND e.posted_delta < 0) THEN 1
           ELSE -1
         END AS sign
) side
CROSS JOIN LATERAL (VALUES
  ('available', e.posted_delta - e.held_delta),
  ('held', e.held_delta),
  (e.contra, side.sign * (e.amount_micro - CASE WHEN e.type IN ('finalize', 'refund')
                                           THEN e.vat_micro ELSE 0 END)),
  ('vat', CASE WHEN e.type IN ('finalize', 'refund') THEN side.sign * e.vat_micro ELSE 0 END)
) AS leg(name, amount_micro)
WHERE leg.amount_micro <> 0;
