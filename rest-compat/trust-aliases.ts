import type { AliasTable } from './alias-table.js';

/** A score on stated figures would be none of the key. */
const READ_OF_THE_KEY = 'is read from the rows of the key: state only key_ref.';

/** Of tokens, incidents, workspaces, certification and revenue. */
export const TRUST_ALIASES: AliasTable = {
  CertificationGatesInput: {
    names: { passed_gates: 'gates_passed', gates: 'gates_passed', passed: 'gates_passed' },
  },
  MarketplaceListingInput: { names: { title: 'name', listing_type: 'type' } },
  RevenueEventInput: {
    names: {
      type: 'event_type',
      event: 'event_type',
      account: 'account_ref',
      account_id: 'account_ref',
      client: 'account_ref',
      client_id: 'account_ref',
      client_ref: 'account_ref',
    },
  },
  RevenueQuoteInput: {
    names: {
      price: 'price_rub',
      cost: 'cost_rub',
      package_code: 'package',
      account: 'account_ref',
      client: 'account_ref',
      client_id: 'account_ref',
    },
    refused: { margin_estimate: 'follows from price and cost: state those.' },
  },
  RevenueSignalResolveInput: { names: { status: 'resolution', outcome: 'resolution' } },
  PartnerAttributionInput: {
    names: {
      mrr: 'mrr_rub',
      commission: 'commission_percent',
      partner: 'partner_ref',
      client: 'client_ref',
      client_id: 'client_ref',
    },
  },
  EphemeralTokenInput: {
    names: {
      ttl: 'ttl_seconds',
      expires_in: 'ttl_seconds',
      models: 'allowed_models',
      requests_max: 'max_requests',
      max_cost: 'max_cost_rub',
      cost_max_rub: 'max_cost_rub',
    },
  },
  KeyRiskScanInput: {
    names: { ref: 'key_ref', key_id: 'key_ref', key: 'key_ref' },
    refused: {
      age: READ_OF_THE_KEY,
      rotation: READ_OF_THE_KEY,
      scope: READ_OF_THE_KEY,
      spend: READ_OF_THE_KEY,
      ip: READ_OF_THE_KEY,
    },
  },
  AbuseIncidentInput: {
    names: {
      incident_type: 'type',
      key_id: 'key_ref',
      actions: 'actions_taken',
      cost_saved: 'cost_saved_rub',
      throttle_rpm: 'throttle_per_minute',
      rpm: 'throttle_per_minute',
    },
  },
  WorkspaceInput: { names: { routes: 'approved_routes', machine_policy: 'policy' } },
  WorkspaceChangeInput: { names: { routes: 'approved_routes', machine_policy: 'policy' } },
  WorkspacePolicyInput: { names: { per_user_budget: 'per_user_budget_rub' } },
  WorkspacePolicyChangeInput: { names: { per_user_budget: 'per_user_budget_rub' } },
  AdoptionEventInput: {
    names: {
      event_type: 'event',
      type: 'event',
      user: 'user_id',
      employee_id: 'user_id',
      pack: 'prompt_pack',
      time_saved: 'time_saved_minutes',
      minutes_saved: 'time_saved_minutes',
    },
  },
};
