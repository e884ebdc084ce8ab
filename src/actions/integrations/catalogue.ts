import {
  code,
  fieldTable,
  flag,
  list,
  object,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import {
  ACTION_VERBS,
  type ActionVerb,
  AUTH_KINDS,
  type AuthKind,
  CONNECTOR_CATEGORIES,
  CONNECTOR_STATUSES,
  type ConnectorCategory,
  FIELD_NATURES,
  FIELD_TYPES,
  type FieldNature,
  type FieldType,
  RISK_LEVELS,
  type RiskLevel,
} from './vocabulary.js';

const FIELD = fieldTable('IntegrationField', 'A field that an action can set.', {
  name: text('Its name in `changes`.'),
  type: code(FIELD_TYPES, 'What JSON it takes.'),
  required: flag('The action needs it.'),
  nature: code(FIELD_NATURES, 'What it is about.'),
  description: text('What the field means in the other system.'),
});

/** A field that an action can set. */
export type ConnectorField = ValuesOf<typeof FIELD.fields>;

const ACTION = fieldTable(
  'IntegrationConnectorAction',
  'Something that a connector can do to a record.',
  {
    id: text('Its id within the connector, such as `deal.update`.'),
    verb: code(ACTION_VERBS, 'What it does to the record.'),
    risk: code(RISK_LEVELS, 'Its own class of risk; the change at hand may raise it.'),
    reversible: flag('It can be rolled back.'),
    alwaysAsks: flag('A person decides, whatever the risk.'),
    description: text('What it is for.'),
    fields: list(object(FIELD, 'A field.'), 'What it can set.'),
  },
);

/** Something that a connector can do to a record. */
export type ConnectorAction = ValuesOf<typeof ACTION.fields>;

/** A system that the gateway knows how to change. */
export const CONNECTOR = fieldTable('IntegrationConnector', 'A system that actions are for.', {
  id: text('Its id, such as `bitrix24`.'),
  name: text('What people call it.'),
  category: code(CONNECTOR_CATEGORIES, 'What kind of system.'),
  auth: code(AUTH_KINDS, 'How it would ask who calls.'),
  status: code(CONNECTOR_STATUSES, 'What the connector can do today.'),
  description: text('What it offers.'),
  actions: list(object(ACTION, 'An action.'), 'What it can do.'),
});

/** A system that the gateway knows how to change. */
export type Connector = ValuesOf<typeof CONNECTOR.fields>;

interface FieldExtras {
  readonly required?: true;
  readonly nature?: FieldNature;
}

function field(
  name: string,
  type: FieldType,
  description: string,
  { required, nature }: FieldExtras = {},
): ConnectorField {
  return { name, type, description, required: required ?? false, nature: nature ?? 'plain' };
}

function action(
  id: string,
  verb: ActionVerb,
  risk: RiskLevel,
  description: string,
  fields: readonly ConnectorField[],
  alwaysAsks = false,
): ConnectorAction {
  return { id, verb, risk, reversible: verb !== 'send', alwaysAsks, description, fields };
}

const REQUIRED = { required: true } as const;
const PERSONAL = { nature: 'personal' } as const;
const MONEY = { nature: 'money' } as const;

const TITLE = field('title', 'string', 'What it is called.', REQUIRED);
const CONTACT = [
  field('name', 'string', 'Full name.', { ...PERSONAL, ...REQUIRED }),
  field('phone', 'string', 'Telephone.', PERSONAL),
  field('email', 'string', 'E-mail.', PERSONAL),
  field('company', 'string', 'The company.'),
  field('custom', 'object', 'Further fields.'),
];
const DEAL = [
  TITLE,
  field('stage', 'string', 'Where it stands.'),
  field('responsible', 'string', 'Who answers for it.'),
  field('amount_rub', 'number', 'What it is worth.', MONEY),
  field('close_date', 'date', 'When it should be closed.'),
  field('tags', 'list', 'Labels.'),
  field('custom', 'object', 'Further fields.'),
];
const TASK = [
  TITLE,
  field('description', 'string', 'What is to be done.'),
  field('responsible', 'string', 'Who does it.'),
  field('due_date', 'date', 'Until when.'),
];
const NOTE = [field('text', 'string', 'The note.', REQUIRED)];
const FILE = [
  field('path', 'string', 'The path of the file.', REQUIRED),
  field('content', 'string', 'The text of the file.'),
  field('labels', 'list', 'Labels.'),
];

/** Updates name what they change, so nothing is required of them. */
function optional(fields: readonly ConnectorField[]): ConnectorField[] {
  return fields.map((one) => ({ ...one, required: false }));
}

const CRM_ACTIONS = [
  action('contact.create', 'create', 'low', 'Adds a contact.', CONTACT),
  action('contact.update', 'update', 'low', 'Changes a contact.', optional(CONTACT)),
  action('contact.delete', 'delete', 'high', 'Removes a contact.', [], true),
  action('deal.create', 'create', 'low', 'Opens a deal.', DEAL),
  action('deal.update', 'update', 'medium', 'Changes a deal.', optional(DEAL)),
  action('deal.delete', 'delete', 'high', 'Removes a deal.', [], true),
  action('task.create', 'create', 'low', 'Adds a task.', TASK),
  action('note.create', 'create', 'low', 'Adds a note to a timeline.', NOTE),
];

const PAYMENT_TARGET = { ...MONEY, ...REQUIRED };
const INVOICE = [
  field('number', 'string', 'The number of the invoice.', REQUIRED),
  field('counterparty', 'string', 'Who pays.', REQUIRED),
  field('amount_rub', 'number', 'The total, VAT included.', { ...MONEY, ...REQUIRED }),
  field('vat_rate_percent', 'integer', 'The VAT rate.'),
  field('lines', 'list', 'The lines: name, quantity, price.'),
  field('due_date', 'date', 'When it is due.'),
];
const PAYMENT = [
  field('counterparty', 'string', 'Who receives.', REQUIRED),
  field('account', 'string', 'The account that receives.', PAYMENT_TARGET),
  field('amount_rub', 'number', 'How much.', { ...MONEY, ...REQUIRED }),
  field('purpose', 'string', 'What for.', REQUIRED),
];
const COUNTERPARTY = [
  field('name', 'string', 'The name.', REQUIRED),
  field('inn', 'string', 'The tax number.'),
  field('account', 'string', 'The bank account.', MONEY),
  field('email', 'string', 'E-mail for documents.', PERSONAL),
];
const ACCOUNTING_ACTIONS = [
  action('invoice.create', 'create', 'medium', 'Issues a draft of an invoice.', INVOICE),
  action('invoice.update', 'update', 'medium', 'Changes a draft.', optional(INVOICE)),
  action('counterparty.update', 'update', 'medium', 'Changes a counterparty.', [
    ...optional(COUNTERPARTY),
  ]),
  action('payment.create', 'create', 'high', 'Drafts a payment order.', PAYMENT, true),
  action('document.delete', 'delete', 'high', 'Marks a document for deletion.', [], true),
];

const MESSAGE = [
  field('chat', 'string', 'The chat or the person.', REQUIRED),
  field('text', 'string', 'The message.', REQUIRED),
  field('attachments', 'list', 'Links to files.'),
];
const LETTER = [
  field('to', 'list', 'Who receives it.', { ...PERSONAL, ...REQUIRED }),
  field('subject', 'string', 'The subject.', REQUIRED),
  field('text', 'string', 'The letter.', REQUIRED),
];

/** Every connector that the gateway lists. The rules read the same list that is published. */
export const CONNECTORS: readonly Connector[] = [
  connector('bitrix24', 'Bitrix24', 'crm', 'oauth2', 'Contacts, deals and tasks.', CRM_ACTIONS),
  connector('amocrm', 'amoCRM', 'crm', 'oauth2', 'Contacts, deals and tasks.', CRM_ACTIONS),
  connector('1c', '1C:Enterprise', 'accounting', 'basic', 'Documents of 1C.', ACCOUNTING_ACTIONS),
  connector('n8n', 'n8n', 'workflow', 'api_key', 'Workflows of your own n8n.', [
    action('workflow.run', 'send', 'medium', 'Starts a workflow.', [
      field('workflow', 'string', 'The workflow.', REQUIRED),
      field('payload', 'object', 'What it is given.'),
    ]),
    action('workflow.update', 'update', 'medium', 'Switches a workflow or renames it.', [
      field('name', 'string', 'Its name.'),
      field('active', 'boolean', 'Whether it runs by itself.'),
    ]),
  ]),
  connector('telegram', 'Telegram', 'messenger', 'bot_token', 'Messages by a bot.', [
    action('message.send', 'send', 'medium', 'Sends a message.', MESSAGE),
    action('message.update', 'update', 'low', 'Edits a message that was sent.', [
      field('text', 'string', 'The new text.'),
    ]),
  ]),
  connector('vk_teams', 'VK Teams', 'messenger', 'bot_token', 'Messages to colleagues.', [
    action('message.send', 'send', 'medium', 'Sends a message.', MESSAGE),
  ]),
  connector('webhook', 'Webhook', 'webhook', 'signature', 'Events for your own endpoint.', [
    action('event.send', 'send', 'medium', 'Sends an event to your endpoint.', [
      field('event', 'string', 'The type of the event.', REQUIRED),
      field('payload', 'object', 'What it says.'),
    ]),
  ]),
  connector('email', 'E-mail', 'email', 'basic', 'Letters by SMTP.', [
    action('letter.send', 'send', 'high', 'Sends a letter.', LETTER),
    action('draft.create', 'create', 'low', 'Puts a letter into the drafts.', LETTER),
  ]),
  connector('yandex_disk', 'Yandex Disk', 'drive', 'oauth2', 'Files and folders.', [
    action('file.create', 'create', 'low', 'Stores a file.', FILE),
    action('file.update', 'update', 'medium', 'Changes a file.', optional(FILE)),
    action('file.delete', 'delete', 'high', 'Removes a file.', [], true),
    action('file.share', 'send', 'high', 'Opens a file to others.', [
      field('path', 'string', 'The path of the file.', REQUIRED),
      field('with', 'list', 'Who may open it.', { ...PERSONAL, ...REQUIRED }),
    ]),
  ]),
  connector('csv', 'CSV', 'csv', 'none', 'Tables as files.', [
    action('row.create', 'create', 'low', 'Adds a row.', [
      field('values', 'object', 'The values by column.', REQUIRED),
    ]),
    action('row.update', 'update', 'low', 'Changes a row.', [
      field('values', 'object', 'The values by column.'),
    ]),
    action('row.delete', 'delete', 'medium', 'Removes a row.', []),
  ]),
];

function connector(
  id: string,
  name: string,
  category: ConnectorCategory,
  auth: AuthKind,
  description: string,
  actions: readonly ConnectorAction[],
): Connector {
  return { id, name, category, auth, status: 'simulated', description, actions };
}
