import { builder } from '../../graph/builder.js';
import { enumValues } from '../../graph/enums.js';
import type { Reference } from '../../records/references.js';
import type { Connector, ConnectorAction, ConnectorField } from './catalogue.js';
import { connectorById, listConnectors } from './log.js';
import { INTEGRATION_REFERENCES, type IntegrationReferences } from './references.js';
import {
  ACTION_VERBS,
  AUTH_KINDS,
  CONNECTOR_CATEGORIES,
  CONNECTOR_STATUSES,
  FIELD_NATURES,
  FIELD_TYPES,
  RISK_LEVELS,
} from './vocabulary.js';

const Category = builder.enumType('IntegrationCategory', {
  description: 'What kind of system a connector stands for.',
  values: enumValues(CONNECTOR_CATEGORIES),
});

const Auth = builder.enumType('IntegrationAuth', {
  description: 'How the real system would ask who calls.',
  values: enumValues(AUTH_KINDS),
});

const ConnectorStatusEnum = builder.enumType('IntegrationConnectorStatus', {
  description: 'What a connector can do today.',
  values: enumValues(CONNECTOR_STATUSES),
});

const Verb = builder.enumType('IntegrationVerb', {
  description: 'What an action does to its record.',
  values: enumValues(ACTION_VERBS),
});

const FieldTypeEnum = builder.enumType('IntegrationFieldType', {
  description: 'What JSON a field takes.',
  values: enumValues(FIELD_TYPES),
});

const FieldNatureEnum = builder.enumType('IntegrationFieldNature', {
  description: 'What a field is about, where that raises the risk.',
  values: enumValues(FIELD_NATURES),
});

/** The risk classes of integrations. */
export const IntegrationRiskLevel = builder.enumType('IntegrationRiskLevel', {
  description: 'How much harm a change can do.',
  values: enumValues(RISK_LEVELS),
});

const FieldObject = builder.objectRef<ConnectorField>('IntegrationField').implement({
  description: 'A field that an action can set.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name in `changes`.' }),
    type: t.expose('type', { type: FieldTypeEnum, description: 'What JSON it takes.' }),
    required: t.exposeBoolean('required', { description: 'The action needs it.' }),
    nature: t.expose('nature', { type: FieldNatureEnum, description: 'What it is about.' }),
    description: t.exposeString('description', { description: 'What it means.' }),
  }),
});

const ActionObject = builder.objectRef<ConnectorAction>('IntegrationConnectorAction').implement({
  description: 'Something that a connector can do to a record.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id within the connector.' }),
    verb: t.expose('verb', { type: Verb, description: 'What it does to the record.' }),
    risk: t.expose('risk', {
      type: IntegrationRiskLevel,
      description: 'Its own class of risk; the change at hand may raise it.',
    }),
    reversible: t.exposeBoolean('reversible', { description: 'It can be rolled back.' }),
    alwaysAsks: t.exposeBoolean('alwaysAsks', {
      description: 'A person decides, whatever the risk.',
    }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    fields: t.field({
      type: [FieldObject],
      description: 'What it can set.',
      resolve: (action) => [...action.fields],
    }),
  }),
});

const ConnectorObject = builder.objectRef<Connector>('IntegrationConnector').implement({
  description: 'A system that actions are for.',
  fields: (t) => ({
    id: t.exposeString('id', { description: 'Its id, such as `bitrix24`.' }),
    name: t.exposeString('name', { description: 'What people call it.' }),
    category: t.expose('category', { type: Category, description: 'What kind of system.' }),
    auth: t.expose('auth', { type: Auth, description: 'How it would ask who calls.' }),
    status: t.expose('status', {
      type: ConnectorStatusEnum,
      description: 'What the connector can do today.',
    }),
    description: t.exposeString('description', { description: 'What it offers.' }),
    actions: t.field({
      type: [ActionObject],
      description: 'What it can do.',
      resolve: (connector) => [...connector.actions],
    }),
  }),
});

/** A list of the reference, each entry with everything that is published of it. */
function entriesOf(reference: Reference): unknown[] {
  return [...reference.entries];
}

const References = builder.objectRef<IntegrationReferences>('IntegrationsReference').implement({
  description: 'The lists that the rules of integrations read.',
  fields: (t) => {
    const list = (name: keyof IntegrationReferences, description: string) =>
      t.field({
        type: ['JSON'],
        description,
        resolve: (references) => entriesOf(references[name]),
      });
    return {
      riskClasses: list('riskClasses', 'Risk classes, mildest first.'),
      riskRules: list('riskRules', 'What raises the risk above that of the action.'),
      approvalRules: list('approvalRules', 'Who decides; the first rule that applies.'),
      decisions: list('decisions', 'What becomes of a change.'),
      actionLifecycle: list('actionLifecycle', 'States of an action, with the steps that lead on.'),
      verbs: list('verbs', 'What an action does to its record.'),
      fieldTypes: list('fieldTypes', 'What JSON a field takes.'),
      fieldNatures: list('fieldNatures', 'What a field is about.'),
      changeKinds: list('changeKinds', 'What a proposed change does to a field.'),
      costReasons: list('costReasons', 'Why a receipt has no cost.'),
      categories: list('categories', 'Kinds of systems.'),
      authKinds: list('authKinds', 'How systems ask who calls.'),
      connectorStatuses: list('connectorStatuses', 'What connectors can do today.'),
    };
  },
});

builder.queryFields((t) => ({
  integrationConnectors: t.field({
    type: [ConnectorObject],
    description: 'The catalogue of connectors.',
    args: { category: t.arg({ type: Category, description: 'Only this kind of system.' }) },
    resolve: (_root, { category }) => listConnectors(category),
  }),
  integrationConnector: t.field({
    type: ConnectorObject,
    description: 'A connector of the catalogue.',
    args: { id: t.arg.string({ required: true, description: 'Its id.' }) },
    resolve: (_root, { id }) => connectorById(id),
  }),
  integrationsReference: t.field({
    type: References,
    description: 'Risk classes, life of actions and approval rules, as the rules read them.',
    resolve: () => INTEGRATION_REFERENCES,
  }),
}));
