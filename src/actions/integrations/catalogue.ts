import type {
  ActionVerb,
  AuthKind,
  ConnectorCategory,
  ConnectorStatus,
  FieldNature,
  FieldType,
  RiskLevel,
} from './vocabulary.js';

/** A field that an action can set. */
export interface ConnectorField {
  readonly name: string;
  readonly type: FieldType;
  readonly required: boolean;
  readonly nature: FieldNature;
  readonly description: string;
}

/** Something that a connector can do to a record. */
export interface ConnectorAction {
  /** Unique within its connector, such as `deal.update`. */
  readonly id: string;
  readonly verb: ActionVerb;
  /** Its own class; the change at hand may raise it. */
  readonly risk: RiskLevel;
  readonly reversible: boolean;
  /** True where a person decides whatever the risk. */
  readonly alwaysAsks: boolean;
  readonly description: string;
  readonly fields: readonly ConnectorField[];
}

/** A system that the gateway knows how to change. */
export interface Connector {
  readonly id: string;
  readonly name: string;
  readonly category: ConnectorCategory;
  readonly auth: AuthKind;
  readonly status: ConnectorStatus;
  readonly description: string;
  readonly actions: readonly ConnectorAction[];
}

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
  connector('bitrix24', 'Bitrix24', 'crm', 'oauth2', CRM_ACTIONS, 'Contacts, deals and tasks.'),
  connector('amocrm', 'amoCRM', 'crm', 'oauth2', CRM_ACTIONS, 'Contacts, deals and tasks.'),
  connector('1c', '1C:Enterprise', 'accounting', 'basic', ACCOUNTING_ACTIONS, 'Documents of 1C.'),
  connector(
    'n8n',
    'n8n',
    'workflow',
    'api_key',
    [
      action('workflow.run', 'send', 'medium', 'Starts a workflow.', [
        field('workflow', 'string', 'The workflow.', REQUIRED),
        field('payload', 'object', 'What it is given.'),
      ]),
      action('workflow.update', 'update', 'medium', 'Switches a workflow or renames it.', [
        field('name', 'string', 'Its name.'),
        field('active', 'boolean', 'Whether it runs by itself.'),
      ]),
    ],
    'Workflows of your own n8n.',
  ),
  connector(
    'telegram',
    'Telegram',
    'messenger',
    'bot_token',
    [
      action('message.send', 'send', 'medium', 'Sends a message.', MESSAGE),
      action('message.update', 'update', 'low', 'Edits a message that was sent.', [
        field('text', 'string', 'The new text.'),
      ]),
    ],
    'Messages by a bot.',
  ),
  connector(
    'vk_teams',
    'VK Teams',
    'messenger',
    'bot_token',
    [action('message.send', 'send', 'medium', 'Sends a message.', MESSAGE)],
    'Messages to colleagues.',
  ),
  connector(
    'webhook',
    'Webhook',
    'webhook',
    'signature',
    [
      action('event.send', 'send', 'medium', 'Sends an event to your endpoint.', [
        field('event', 'string', 'The type of the event.', REQUIRED),
        field('payload', 'object', 'What it says.'),
      ]),
    ],
    'Events for your own endpoint.',
  ),
  connector(
    'email',
    'E-mail',
    'email',
    'basic',
    [
      action('letter.send', 'send', 'high', 'Sends a letter.', LETTER),
      action('draft.create', 'create', 'low', 'Puts a letter into the drafts.', LETTER),
    ],
    'Letters by SMTP.',
  ),
  connector(
    'yandex_disk',
    'Yandex Disk',
    'drive',
    'oauth2',
    [
      action('file.create', 'create', 'low', 'Stores a file.', FILE),
      action('file.update', 'update', 'medium', 'Changes a file.', optional(FILE)),
      action('file.delete', 'delete', 'high', 'Removes a file.', [], true),
      action('file.share', 'send', 'high', 'Opens a file to others.', [
        field('path', 'string', 'The path of the file.', REQUIRED),
        field('with', 'list', 'Who may open it.', { ...PERSONAL, ...REQUIRED }),
      ]),
    ],
    'Files and folders.',
  ),
  connector(
    'csv',
    'CSV',
    'csv',
    'none',
    [
      action('row.create', 'create', 'low', 'Adds a row.', [
        field('values', 'object', 'The values by column.', REQUIRED),
      ]),
      action('row.update', 'update', 'low', 'Changes a row.', [
        field('values', 'object', 'The values by column.'),
      ]),
      action('row.delete', 'delete', 'medium', 'Removes a row.', []),
    ],
    'Tables as files.',
  ),
];

function connector(
  id: string,
  name: string,
  category: ConnectorCategory,
  auth: AuthKind,
  actions: readonly ConnectorAction[],
  description: string,
): Connector {
  return { id, name, category, auth, status: 'simulated', description, actions };
}
