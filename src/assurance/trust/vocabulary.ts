import { type CodeOf, vocabulary } from '../../kernel/vocabulary.js';

/** What a control is about. */
export const CONTROL_AREAS = vocabulary('TrustControlArea', 'What a control is about.', [
  { code: 'data', description: 'What becomes of the content of requests.', title: 'Данные' },
  { code: 'access', description: 'Who may do what.', title: 'Доступ' },
  { code: 'network', description: 'What may be connected to what.', title: 'Сеть' },
  { code: 'money', description: 'That every ruble is accounted for.', title: 'Деньги' },
  { code: 'records', description: 'What is written down and proves itself.', title: 'Записи' },
  { code: 'operations', description: 'How the server is set up.', title: 'Эксплуатация' },
  { code: 'sla', description: 'How service is measured and kept up.', title: 'Уровень услуги' },
  { code: 'incidents', description: 'What happens when something fails.', title: 'Инциденты' },
]);

/** What holds of a control on this server now. */
export const CONTROL_STATUSES = vocabulary(
  'TrustControlStatus',
  'Whether a control holds on this server now.',
  [
    { code: 'enforced', description: 'The code holds it, whatever is set.', title: 'действует' },
    {
      code: 'in_force',
      description: 'It depends on a setting of this server, which is made.',
      title: 'действует, включено настройкой',
    },
    {
      code: 'not_in_force',
      description: 'It depends on a setting of this server, which is not made.',
      title: 'не включено на этом сервере',
    },
    { code: 'roadmap', description: 'It is not built and cannot be relied on.', title: 'план' },
  ],
);

/** What holds of a control on this server now. */
export type ControlStatus = CodeOf<typeof CONTROL_STATUSES>;

/** The settings on which controls depend. The rules read them from the running configuration. */
export const CONTROL_SETTINGS = vocabulary(
  'TrustControlSetting',
  'What a server has to be set to for a control to hold.',
  [
    {
      code: 'metadata_kept_back',
      description: 'No callable provider has `forward_metadata`.',
    },
    { code: 'public_address_https', description: 'GW_PUBLIC_URL begins with https.' },
    {
      code: 'metrics_closed',
      description: 'GW_OPERATOR_TOKEN is set, or NODE_ENV is production.',
    },
    { code: 'secret_given', description: 'GW_SECRET is set.' },
    { code: 'shared_counters', description: 'REDIS_URL is set.' },
    { code: 'database_server', description: 'DATABASE_URL is set.' },
    { code: 'security_contact', description: 'GW_SECURITY_CONTACT is set.' },
  ],
);

/** A setting on which controls depend. */
export type ControlSetting = CodeOf<typeof CONTROL_SETTINGS>;

/** Where it is known what a sub-processor keeps. */
export const RETENTION_EVIDENCE = vocabulary(
  'TrustRetentionEvidence',
  'What is known of how long a sub-processor keeps what it gets.',
  [
    { code: 'nothing_leaves', description: 'It answers in this process; nothing is sent.' },
    {
      code: 'missing',
      description: 'Only the contract with its operator says; the gateway cannot observe it.',
    },
  ],
);

/** Whether a document of the trust centre can be had. */
export const ARTIFACT_STATUSES = vocabulary(
  'TrustArtifactStatus',
  'Whether a document can be had, and what it rests on.',
  [
    {
      code: 'available',
      description: 'Made by the running gateway from what holds now.',
      title: 'доступен',
    },
    {
      code: 'template_ref',
      description:
        'A template of the operator that lawyers fill in; the gateway has no text of it.',
      title: 'шаблон оператора',
    },
    { code: 'missing', description: 'Nobody has made one yet.', title: 'нет' },
    { code: 'roadmap', description: 'It is not built.', title: 'план' },
  ],
);

/** Who gets a document. */
export const ARTIFACT_VISIBILITIES = vocabulary(
  'TrustArtifactVisibility',
  'Who gets a document of the trust centre.',
  [
    { code: 'public', description: 'Everybody, without a credential.', title: 'открыт' },
    { code: 'customer', description: 'Organizations, with a credential.', title: 'заказчику' },
    { code: 'on_request', description: 'The operator hands it out.', title: 'по запросу' },
  ],
);

/** How a question of a vendor questionnaire is answered. */
export const ANSWERS = vocabulary('TrustAnswer', 'How a question is answered.', [
  { code: 'yes', description: 'Everything that it rests on holds.', title: 'да' },
  { code: 'partly', description: 'A part of what it rests on holds.', title: 'частично' },
  { code: 'no', description: 'Nothing of what it rests on holds.', title: 'нет' },
  {
    code: 'unknown',
    description: 'The gateway has no evidence: the operator has to answer.',
    title: 'нет доказательств',
  },
]);

/** How a question is answered. */
export type Answer = CodeOf<typeof ANSWERS>;

/** What a node of the data flow is. */
export const FLOW_KINDS = vocabulary('TrustFlowNodeKind', 'What a node of the data flow is.', [
  { code: 'client', description: 'The application that asks.' },
  { code: 'stage', description: 'A stage of the request path.' },
  { code: 'route_rf', description: 'Providers inside Russia.' },
  { code: 'route_outside', description: 'Providers outside Russia.' },
  { code: 'sandbox', description: 'The simulated provider in the process.' },
  { code: 'store', description: 'What the gateway keeps.' },
]);

/** Whether anything can pass an edge of the data flow. */
export const FLOW_STATUSES = vocabulary(
  'TrustFlowStatus',
  'Whether data can pass an edge on this server.',
  [
    { code: 'open', description: 'Data can pass on this server.' },
    { code: 'closed', description: 'Nothing can pass: no provider of that side can be called.' },
  ],
);
