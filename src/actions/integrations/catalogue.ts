import { dataList } from '../../kernel/fields/data-file.js';
import {
  code,
  fieldTable,
  flag,
  list,
  object,
  text,
  type ValuesOf,
} from '../../kernel/fields/field.js';
import FILE from './connectors.json' with { type: 'json' };
import {
  ACTION_VERBS,
  AUTH_KINDS,
  CONNECTOR_CATEGORIES,
  CONNECTOR_STATUSES,
  FIELD_NATURES,
  FIELD_TYPES,
  RISK_LEVELS,
} from './vocabulary.js';

const FIELD = fieldTable('IntegrationField', 'A field that an action can set.', {
  name: text('Its name in `changes`.'),
  type: code(FIELD_TYPES, 'What JSON it takes.'),
  required: flag('The action needs it.'),
  nature: code(FIELD_NATURES, 'What it is about.'),
  description: text('What it means.'),
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

type FieldSet = keyof typeof FILE.fields;

/** The actions of a set with their fields, of which an update requires none. */
function actionsOf(set: keyof typeof FILE.actions) {
  return FILE.actions[set].map(({ fields: named, ...action }) => {
    const fields = named === null ? [] : FILE.fields[named as FieldSet];
    const isUpdate = action.verb === 'update';
    return {
      ...action,
      reversible: action.verb !== 'send',
      fields: isUpdate ? fields.map((field) => ({ ...field, required: false })) : fields,
    };
  });
}

/** Every connector that the gateway lists. The rules read the same list that is published. */
export const CONNECTORS: readonly Connector[] = dataList(
  CONNECTOR,
  FILE.connectors.map(({ actions, ...connector }) => ({
    ...connector,
    status: 'simulated',
    actions: actionsOf(actions as keyof typeof FILE.actions),
  })),
);
