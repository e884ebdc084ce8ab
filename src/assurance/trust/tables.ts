import { CLASSES_OF_DATA } from '../../access/policies/tables.js';
import { JURISDICTIONS, PROVIDER_STATUSES } from '../../catalog/providers/vocabulary.js';
import {
  code,
  fieldTable,
  flag,
  instant,
  integer,
  list,
  object,
  optional,
  text,
} from '../../kernel/fields/field.js';
import {
  CONTENT_CARRIERS,
  CONTENT_READERS,
  CONTENTS,
  UNREAD_MODES,
} from '../../kernel/firewall/contents.js';
import { SLA_CLASSES } from '../../money/billing/vocabulary.js';
import { RETENTION_FIELDS } from './retention.js';
import {
  ANSWERS,
  ARTIFACT_STATUSES,
  ARTIFACT_VISIBILITIES,
  CONTROL_AREAS,
  CONTROL_SETTINGS,
  CONTROL_STATUSES,
  FLOW_KINDS,
  FLOW_STATUSES,
  RETENTION_EVIDENCE,
} from './vocabulary.js';

const CONTROL = fieldTable('TrustControl', 'A measure of protection, as it holds on this server.', {
  code: text('The code of the control.'),
  area: code(CONTROL_AREAS, 'What the control is about.'),
  title: text('The name of the control, in Russian.'),
  statement: text('What the control says, in Russian.'),
  status: code(CONTROL_STATUSES, 'Whether the control holds now.'),
  setting: optional(code(CONTROL_SETTINGS, 'The setting that it depends on; null without one.')),
  enforcedIn: list(text('A file.'), 'Where the code holds it; empty for roadmap.'),
  provenBy: list(text('A file.'), 'The tests that show it; empty for roadmap.'),
});

const SERVICE_LEVEL = fieldTable('TrustServiceLevel', 'What a class of service aims at.', {
  slaClass: code(SLA_CLASSES, 'The class of an organization.'),
  latencyMsMax: integer('The target of a whole answer, in milliseconds.'),
  timeToFirstTokenMsMax: integer('The target of the first token of a stream, in milliseconds.'),
});

const INCIDENTS = fieldTable('TrustIncidentPosture', 'How this node does, and whom to tell.', {
  contact: optional(text('Where incidents are told; null where the operator has named nobody.')),
  deploymentsServing: integer('Deployments of models whose circuit breaker is closed.'),
  deploymentsProbed: integer('Deployments that are let through one by one after failures.'),
  deploymentsStopped: integer('Deployments that are not called, since they keep failing.'),
});

const RETENTION = fieldTable(
  'TrustRetention',
  'A thing that outlives a request, and for how long.',
  RETENTION_FIELDS,
);

const CONTENT = fieldTable(
  'TrustContent',
  'A kind of content, and what the firewall makes of it.',
  {
    code: code(CONTENTS, 'The kind, as the reference `firewall.content` names it.'),
    carrier: code(CONTENT_CARRIERS, 'Whether a request or an answer carries it.'),
    reader: code(CONTENT_READERS, 'What the firewall makes of it.'),
    title: text('What it is, in Russian.'),
    policyDefault: optional(
      code(
        UNREAD_MODES,
        'What is done where no policy names the kind; null where policies do not decide.',
      ),
    ),
  },
);

/** The whole posture in one answer. */
export const OVERVIEW = fieldTable('TrustOverview', 'Security, service level and incidents.', {
  operator: text('The company that runs this gateway, as GW_OPERATOR_NAME says.'),
  production: flag('Whether this server runs with the settings of production.'),
  controls: list(object(CONTROL, 'A control.'), 'What protects data and money, and what does not.'),
  serviceLevels: list(
    object(SERVICE_LEVEL, 'A class.'),
    'The targets that each answer is held to.',
  ),
  incidents: object(INCIDENTS, 'Circuit breakers of this node now, and the contact.'),
  retention: list(object(RETENTION, 'A thing.'), 'What is kept, by the periods of the code.'),
  contents: list(
    object(CONTENT, 'A kind.'),
    'Everything that a request or an answer can carry, and whether the firewall reads it.',
  ),
  roadmap: list(text('A code of a control.'), 'The controls that are not built.'),
  asOf: instant('When it was read from the running server.'),
});

const ROUTE = fieldTable('TrustRoute', 'A route to models of a sub-processor.', {
  jurisdiction: code(JURISDICTIONS, 'Where the route takes the data.'),
  operators: list(text('A company.'), 'Who runs the models of the route.'),
  dataClasses: list(
    code(CLASSES_OF_DATA, 'A class of data.'),
    'What may be sent there at all; policies can only narrow it.',
  ),
  modelCount: integer('Models that the provider lists on this route.'),
  observedHosts: list(
    text('A host; `internal` for one of the operator.'),
    'The hosts that nodes of this installation have really contacted.',
  ),
});

const SUBPROCESSOR = fieldTable('TrustSubprocessor', 'A provider that may get requests.', {
  id: text('The id of the provider.'),
  name: text('The name of the provider.'),
  operator: text('The company behind it.'),
  homepage: text('Its page; empty where none is known.'),
  status: code(PROVIDER_STATUSES, 'Whether it can be called; what cannot gets no data.'),
  statusReason: text('Why it cannot be called; empty when it can.'),
  simulated: flag('True for the built-in provider that answers inside the process.'),
  getsMetadata: flag('Whether `metadata` is told to it.'),
  retention: code(RETENTION_EVIDENCE, 'What is known of how long it keeps what it gets.'),
  observed: flag('Whether a node of this installation has contacted it.'),
  routes: list(object(ROUTE, 'A route.'), 'Its routes by jurisdiction.'),
});

/** The register of sub-processors. */
export const REGISTER = fieldTable('TrustSubprocessorRegister', 'Who may get requests.', {
  subprocessors: list(object(SUBPROCESSOR, 'A provider.'), 'From the running registry.'),
  observedSince: instant('Since when the outgoing connections of the nodes are known.'),
  asOf: instant('When it was read from the running server.'),
});

const NODE = fieldTable('TrustFlowNode', 'A place where data is.', {
  id: text('The id of the node, as edges name it.'),
  kind: code(FLOW_KINDS, 'What the node is.'),
  label: text('The words in the diagram.'),
  description: text('What happens there.'),
});

const EDGE = fieldTable('TrustFlowWay', 'A way that data takes.', {
  from: text('The node that data leaves.'),
  to: text('The node that data reaches.'),
  data: text('What passes, in Russian.'),
  status: code(FLOW_STATUSES, 'Whether anything can pass on this server.'),
});

/** The data flow of a request. */
export const FLOW = fieldTable('TrustDataFlow', 'The path of a request, by its list of stages.', {
  nodes: list(
    object(NODE, 'A node.'),
    'The client, the stages in their order, and what is around.',
  ),
  edges: list(object(EDGE, 'An edge.'), 'The ways between them.'),
});

/** A document of the trust centre. */
export const ARTIFACT = fieldTable('TrustArtifact', 'A document of the trust centre.', {
  code: text('The code of the document.'),
  title: text('The name of the document, in Russian.'),
  visibility: code(ARTIFACT_VISIBILITIES, 'Who is given the document.'),
  status: code(ARTIFACT_STATUSES, 'Whether it can be had.'),
  path: optional(text('Where it is read; null for one that the gateway does not make.')),
  note: optional(text('Whose it is where the gateway does not make it, in Russian.')),
});

const QUESTION = fieldTable('TrustQuestion', 'A question with its answer.', {
  code: text('The code of the question.'),
  section: text('The section that it stands in.'),
  question: text('The question, in Russian.'),
  answer: code(ANSWERS, 'The answer that the gateway can stand for.'),
  explanation: text('What the answer rests on, or whose evidence is missing, in Russian.'),
  controls: list(text('A code.'), 'The controls that the answer rests on.'),
});

const GAP = fieldTable('TrustMissingEvidence', 'Something asked for that cannot be shown.', {
  code: text('The question or the control.'),
  needed: text('What would show it, in Russian.'),
});

/** The vendor questionnaire. */
export const QUESTIONNAIRE = fieldTable(
  'TrustQuestionnaire',
  'A vendor questionnaire, answered from the controls that hold now.',
  {
    questions: list(object(QUESTION, 'A question.'), 'The questions by section.'),
    missingEvidence: list(object(GAP, 'A gap.'), 'What cannot be shown, and what would show it.'),
    asOf: instant('When it was answered from the running server.'),
  },
);

/** Everything of the trust centre in one answer. */
export const VENDOR_PACK = fieldTable('TrustVendorPack', 'Everything that procurement asks for.', {
  overview: object(OVERVIEW, 'Security, service level and incidents.'),
  subprocessors: object(REGISTER, 'Who may get requests.'),
  dataFlow: object(FLOW, 'The path of a request.'),
  artifacts: list(object(ARTIFACT, 'A document.'), 'The documents that there are.'),
  questionnaire: object(QUESTIONNAIRE, 'The vendor questionnaire.'),
});
