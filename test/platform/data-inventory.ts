/** What a column may hold, as far as people are concerned. */
export const DATA_CLASSES = {
  sealed: 'Sealed with the data key of the organization: an erasure takes it.',
  open_of_sealed:
    'The open column beside a sealed one: null, but for rows from before that wait for their ' +
    'sealing, and for receipts of kinds that hold no personal data.',
  answer:
    'An answer that is kept for repeated requests, sealed under the secret of the ' +
    'installation. It ' +
    'ends after a day, and an erasure takes it.',
  delivery:
    'What is sent to webhooks and answered: dropped after its retention, and by an erasure.',
  secret: 'A secret of the gateway or of a member, sealed under the secret of the installation.',
  hash: 'A hash: nothing can be read from it.',
  vocabulary: 'A code of a closed list, a state, an id or a figure.',
  own_name:
    'A name or an id that the organization gives to what is its own, such as a tag, ' +
    'a team or a ' +
    'record of another system. It is searched and summed by, so it stands open; the ' +
    'API documents ' +
    'ask for no personal data in it.',
  configuration:
    'What the organization writes for the gateway to work by: templates of prompts, policies, ' +
    'contracts. It is no record of a person, and the chat path reads it.',
  decision:
    'Why somebody decided, and what the gateway found. Receipts, audit trail and ' +
    'books rest on it, ' +
    'so it stands; reasons are asked for without personal data.',
  member:
    'The account of a member: an e-mail, a device, a network. A login looks it up; ' +
    'it goes with the ' +
    'member, and not with an erasure.',
  papers: 'Papers of the organization as a party to a contract, which the law has kept.',
  books: 'A line of the books, or what usage says of a request: labels of the caller, no texts.',
  operator: "The operator's: of no organization.",
} as const satisfies Record<string, string>;

/** A class of data. */
export type DataClass = keyof typeof DATA_CLASSES;

type Columns = Partial<Record<DataClass, string>>;

/**
 * Every column of text, JSON or bytes of every table, by what it may hold. A test compares it with
 * the database, so that no new column is left out.
 */
export const DATA_INVENTORY: Readonly<Record<string, Columns>> = {
  abuse_incident: {
    vocabulary: 'incident_type actions_taken next_action',
    decision: 'note next_action_reason',
  },
  adoption_event: {
    vocabulary: 'event_type source',
    own_name: 'user_ref department prompt_pack external_ref',
    decision: 'reason',
  },
  anomaly: {
    vocabulary: 'type scope_kind metric method severity action request_ids',
    own_name: 'rule_key scope_ref',
  },
  api_key: {
    own_name: 'name',
    vocabulary: 'key_type prefix last_four bound_role',
    hash: 'key_hash',
  },
  app_user: { member: 'email', hash: 'password_hash', vocabulary: 'role status' },
  approval: {
    vocabulary: 'kind status execution execution_error',
    own_name: 'subject_id',
    decision: 'summary reason',
    open_of_sealed: 'shown',
    sealed: 'shown_sealed',
    hash: 'shown_hash',
  },
  audit_event: {
    vocabulary: 'actor_kind action subject subject_id request_id',
    hash: 'before_hash after_hash',
  },
  audit_link: { hash: 'previous_hash chain_hash' },
  auth_session: { member: 'user_agent network' },
  beacon_count: { vocabulary: 'kind value' },
  beacon_session: { hash: 'session_hash' },
  bi_login: { operator: 'login' },
  blueprint_deployment: {
    vocabulary: 'blueprint_id decision',
    hash: 'manifest_hash',
    decision: 'readiness tests missing_items',
  },
  blueprint_run: {
    vocabulary: 'blueprint_id status failure proof',
    own_name: 'checks_failed',
    hash: 'manifest_hash',
    open_of_sealed: 'input steps business_result',
    sealed: 'input_sealed steps_sealed business_result_sealed',
  },
  blueprint_run_underway: {
    vocabulary: 'blueprint_id blueprint_version requested_by_kind request_id',
    hash: 'manifest_hash',
    open_of_sealed: 'input steps',
    sealed: 'input_sealed steps_sealed',
    decision: 'business_result',
  },
  books_finding: { vocabulary: 'invariant subject detail' },
  budget: {
    vocabulary: 'scope_kind period time_zone on_cap_reached soft_alerts',
    own_name: 'scope_ref name degrade_to',
  },
  budget_exception: { vocabulary: 'period status request_id', decision: 'reason' },
  budget_step: { vocabulary: 'step' },
  certification: {
    own_name: 'tool_key',
    vocabulary: 'badge version status gates_passed gates_failed',
    hash: 'tool_contract_sha256',
    decision: 'audit revoke_reason',
  },
  commercial_terms: { vocabulary: 'plan sla_class', decision: 'reason' },
  context_policy: { own_name: 'name', configuration: 'rules' },
  contract_version: { vocabulary: 'kind', own_name: 'contract_key', configuration: 'body' },
  cost_event: {
    vocabulary: 'kind category driver billed_month confidence confidence_guard',
    own_name: 'event_id client_tag supplier client_id feature',
    hash: 'content_hash',
    decision: 'note',
  },
  dropped_rows: { vocabulary: 'of_table feed' },
  egress_host: { operator: 'host jurisdiction provider_id operator' },
  ephemeral_token: { vocabulary: 'scope allowed_models' },
  feed_event: { vocabulary: 'feed type trace', own_name: 'subject_id', decision: 'payload' },
  focus_group: { hash: 'reading', vocabulary: 'kind', own_name: 'key', decision: 'note' },
  former_hash_key: { operator: 'key_id', secret: 'sealed' },
  gateway_node: { operator: 'node_id' },
  hold: {
    vocabulary: 'state budget_ids period_starts',
    operator: 'node_id',
    books: 'checkpoint_usage',
  },
  idempotency_record: {
    own_name: 'key',
    hash: 'body_hash',
    vocabulary: 'status request_id first_request_id content_type',
    operator: 'node_id',
    answer: 'answer',
  },
  integration_action: {
    vocabulary: 'connector action decision status request_ids requested_by_kind failure',
    own_name: 'record_ref',
    open_of_sealed: 'changed_fields rollback',
    sealed: 'changed_fields_sealed rollback_sealed',
  },
  integration_preview: {
    vocabulary: 'connector action risk_level decision requested_by_kind',
    own_name: 'record_ref',
    decision: 'decided',
    open_of_sealed: 'input state_before proposed_changes',
    sealed: 'input_sealed state_before_sealed proposed_changes_sealed',
  },
  integration_record: {
    vocabulary: 'connector',
    own_name: 'record_ref',
    open_of_sealed: 'state',
    sealed: 'state_sealed',
  },
  integrity_fault: { vocabulary: 'faults' },
  integrity_finding: { vocabulary: 'status faults' },
  integrity_seal: { vocabulary: 'seal_key status failure verdict reading', hash: 'root_sha256' },
  integrity_witness: { hash: 'hashes', vocabulary: 'request_ids used_at' },
  invite: { member: 'email', vocabulary: 'role', hash: 'token_hash' },
  journal_entry: { vocabulary: 'kind value', own_name: 'subject external_ref', decision: 'body' },
  kept_answer: { answer: 'answer' },
  key_action: { vocabulary: 'action' },
  key_address: { hash: 'address_hash', member: 'network' },
  key_limits: { vocabulary: 'allowed_models data_class_min', configuration: 'allowed_addresses' },
  key_secret: { hash: 'key_hash', vocabulary: 'prefix last_four' },
  keyed_outcome: { vocabulary: 'content_type', answer: 'answer' },
  ledger_entry: { vocabulary: 'type contra', books: 'description' },
  ledger_overrun: { vocabulary: 'provider model', books: 'raw_usage' },
  log_checkpoint: { hash: 'root_sha256 statement' },
  log_cosignature: { operator: 'witness line' },
  log_publication: {
    hash: 'name origin',
    operator: 'public_key',
    secret: 'private_sealed',
  },
  log_tile: { hash: 'hashes', vocabulary: 'keys' },
  listing_report: { vocabulary: 'reason resolution', decision: 'details resolution_reason' },
  marketplace_listing: {
    vocabulary: 'type status name_review measure',
    configuration: 'name publisher description version url publisher_key',
    own_name: 'tool_key',
    decision: 'measure_reason',
  },
  migration_check_run: { vocabulary: 'caller_kind status request_id', decision: 'checks' },
  month_partition: { operator: 'of_table name', hash: 'sha256' },
  password_reset: { hash: 'token_hash' },
  policy: { own_name: 'name', configuration: 'rules' },
  policy_version: { own_name: 'name', configuration: 'rules' },
  price_notice: { operator: 'deployment', hash: 'prices_sha256', decision: 'told' },
  procurement_pack: {
    vocabulary: 'pack_type status',
    papers: 'legal_name inn status_note answers edo',
  },
  project: { own_name: 'name' },
  prompt: {
    own_name: 'prompt_key owner_team use_case context_policy_name',
    vocabulary: 'previous_versions status',
  },
  prompt_case_set: {
    decision: 'description',
    open_of_sealed: 'cases',
    sealed: 'cases_sealed',
    hash: 'content_hash',
  },
  prompt_evaluation: {
    vocabulary: 'targets status failure request_id',
    hash: 'content_hash case_set_hash',
  },
  prompt_evaluation_result: {
    own_name: 'case_name target',
    vocabulary: 'model answered_model outcome error_code judge_request_ids',
    hash: 'output_hash',
    decision: 'grades',
  },
  prompt_stage: { vocabulary: 'status' },
  prompt_version: {
    configuration: 'template variables output_schema model_variants',
    open_of_sealed: 'samples',
    sealed: 'samples_sealed',
    vocabulary: 'data_class_min',
    hash: 'content_hash',
  },
  publisher_identity: {
    papers: 'legal_name name_key inn domain domain_key label_key token',
    vocabulary: 'check_failure decision names_due',
    decision: 'decision_reason revoke_reason',
  },
  provider_change: { operator: 'kind subject place body reason' },
  provider_migration: {
    own_name: 'migration_key',
    vocabulary: 'source_provider source_model target_model mode status',
    configuration: 'source_base_url use_cases rollback_plan aliases',
    decision: 'scan cutover',
  },
  reader_mark: { operator: 'name' },
  recovery_code: { hash: 'code_hash' },
  revenue_signal: { own_name: 'account_ref', vocabulary: 'rule evidence status', decision: 'note' },
  routing_incumbent: { own_name: 'contract_key use_case', vocabulary: 'model' },
  routing_situation: { hash: 'sha256', decision: 'content' },
  sealed_receipt: {
    vocabulary: 'kind trace',
    own_name: 'seal_key',
    open_of_sealed: 'content',
    sealed: 'content_sealed',
    hash: 'sha256 previous_hash chain_hash',
  },
  second_factor: { secret: 'secret_sealed' },
  session: { hash: 'token_hash' },
  signing_key: { operator: 'kid public_jwk', secret: 'private_sealed' },
  spend_hour: { vocabulary: 'scope_kind', own_name: 'scope_ref' },
  spend_pause: { vocabulary: 'scope_kind status', own_name: 'scope_ref', decision: 'reason' },
  spend_watch: { vocabulary: 'scope_kind', own_name: 'scope_ref', books: 'state' },
  tenant: { own_name: 'name', vocabulary: 'status plan sla_class' },
  tenant_data_key: { secret: 'wrapped', operator: 'wrapping_key_id' },
  tool_call: {
    own_name: 'tool_key session_id',
    configuration: 'verb',
    vocabulary:
      'decision status approval_status requested_by_kind requested_by_role request_id failure',
    open_of_sealed: 'arguments result',
    sealed: 'arguments_sealed result_sealed',
    decision: 'decided blast_radius reason',
    hash: 'bound_hash',
  },
  usage_event: {
    vocabulary:
      'operation requested_model model provider route environment usage_source status ' +
      'error_code finish_reason data_class',
    own_name: 'feature client_id',
    books: 'raw_usage prices policy_versions firewall_findings metadata',
  },
  usage_rollup: {
    vocabulary: 'cube grain operation route provider model environment origin',
    hash: 'cell',
    own_name: 'feature client_id prompt_version',
  },
  value_event: { own_name: 'use_case external_ref', vocabulary: 'event_type' },
  webhook_delivery: {
    vocabulary: 'event_id event_type status failure',
    delivery: 'body response attempt_log',
  },
  webhook_endpoint: {
    configuration: 'url description',
    vocabulary: 'event_types status disabled_reason',
  },
  webhook_feed_cursor: { vocabulary: 'feed snapshot' },
  webhook_worker: { operator: 'node_id' },
  workspace: {
    own_name: 'name departments',
    configuration: 'approved_routes data_classes actions',
    vocabulary: 'user_budget_period data_class_min',
  },
};
