-- Costs of every kind beside the charges of the ledger, and the invoices that confirm them. Whose
-- cost it is was decided when it was recorded. Append-only: a wrong event is replaced by another
-- one, once, and both stay.
CREATE TABLE cost_event (
  id uuid PRIMARY KEY,
  tenant_id uuid NOT NULL,
  event_id text NOT NULL,
  content_hash bytea NOT NULL CHECK (octet_length(content_hash) = 32),
  kind text NOT NULL,
  category text,
  net_micro bigint NOT NULL CHECK (net_micro >= 0),
  vat_micro bigint NOT NULL CHECK (vat_micro >= 0),
  occurred_at timestamptz(3) NOT NULL,
  request_id uuid,
  driver text,
  client_tag text,
  supplier text,
  billed_month text CHECK (billed_month ~ '^\d{4}-\d{2}$'),
  note text,
  confidence text NOT NULL,
  confidence_guard text NOT NULL,
  client_id text,
  feature text,
  project_id uuid,
  replaces_id uuid,
  recorded_by uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  UNIQUE (tenant_id, event_id),
  UNIQUE (tenant_id, replaces_id),
  CHECK ((kind = 'invoice') = (billed_month IS NOT NULL))
);
CREATE INDEX cost_event_tenant_id_occurred_at_idx ON cost_event (tenant_id, occurred_at);
CREATE INDEX cost_event_billed ON cost_event (tenant_id, billed_month) WHERE kind = 'invoice';
CREATE INDEX cost_event_tenant_id_id_idx ON cost_event (tenant_id, id);
CALL make_append_only('cost_event');
CALL keep_to_tenant('cost_event', 'SELECT, INSERT');
