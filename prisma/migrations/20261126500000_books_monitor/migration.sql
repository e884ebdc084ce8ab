-- The monitor of the books reads what has come since its last look, and holds it against totals that
-- it keeps of everything before. What it finds stays until a full check does not find it any more.

-- What the lines of an account add up to, as far as they were verified.
CREATE TABLE books_account (
  account_id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  lines bigint NOT NULL,
  posted_micro numeric NOT NULL,
  held_micro numeric NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX books_account_tenant_id_idx ON books_account (tenant_id);

-- The same of a budget and period. `due` until its counter was held against it.
CREATE TABLE books_budget (
  budget_id uuid NOT NULL,
  period_start date NOT NULL,
  tenant_id uuid NOT NULL,
  spent_micro numeric NOT NULL,
  held_micro numeric NOT NULL,
  due boolean NOT NULL DEFAULT true,
  PRIMARY KEY (budget_id, period_start)
) WITH (fillfactor = 70);
CREATE INDEX books_budget_tenant_id_idx ON books_budget (tenant_id);
CREATE INDEX books_budget_due_idx ON books_budget (budget_id) WHERE due;

-- Where the books are wrong. What is found by comparing totals stands only while they differ.
CREATE TABLE books_finding (
  tenant_id uuid NOT NULL,
  invariant text NOT NULL,
  subject text NOT NULL,
  detail text NOT NULL,
  of_totals boolean NOT NULL,
  found_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (tenant_id, invariant, subject)
);

CALL keep_to_tenant('books_account', 'SELECT');
CALL keep_to_tenant('books_budget', 'SELECT');
CALL keep_to_tenant('books_finding', 'SELECT');
GRANT INSERT, UPDATE, DELETE ON books_account, books_budget, books_finding TO gw_platform;

-- When a look last came to its end, of whichever node. One row.
CREATE TABLE books_check (
  id int PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  succeeded_at timestamptz(3),
  fully_succeeded_at timestamptz(3)
);
INSERT INTO books_check DEFAULT VALUES;
GRANT SELECT, UPDATE ON books_check TO gw_platform;

-- The refunds of one charge, of which an account may have many.
CREATE INDEX ledger_entry_refund_of_charge ON ledger_entry (account_id, charged_request_id)
  WHERE charged_request_id IS NOT NULL;
