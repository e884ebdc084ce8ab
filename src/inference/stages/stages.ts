import { fieldTable, text, type ValuesOf } from '../../kernel/fields/field.js';

/** A stage of the request path, in the words of the documents. */
export const STAGE = fieldTable(
  'RequestStage',
  'A stage that every chat and embeddings request passes.',
  {
    name: text('The name of the stage, as errors and receipts say it.'),
    description: text('What the stage does with a request.'),
  },
);

const DESCRIPTIONS = {
  authenticate: 'The bearer key or token becomes a caller with a project, an account and rights.',
  prompt: 'A prompt that the request asks for is rendered and fills the request.',
  workspace:
    'Under a workspace of employees its machine policy joins in: approved routes, data classes, ' +
    'budgets of users.',
  admit:
    'A model alias becomes its target. Policy of the project: allow-list, requests and tokens a ' +
    'minute, concurrency.',
  context:
    'Turns that the contract of the workload leaves out are dropped; of the blocks of gw_context ' +
    'those that fit the window and the contract are placed into the request.',
  firewall_in:
    'Personal data, secrets and injection markers are found, masked or blocked; the class of the ' +
    'data is the highest that is found or stated.',
  route:
    'The named model is taken, or the router chooses one; what policy, data route and ' +
    'capabilities forbid is never called.',
  token: 'The request of an ephemeral token is within its scope and is counted against its quota.',
  hold: 'The upper estimate is reserved; key, budgets and funds are checked with it.',
  call: 'The provider is called, with deadlines, retries, fallbacks and circuit breakers.',
  firewall_out: 'Masked values return to the client; new findings in the answer are handled.',
  receipts: 'gw_routing, gw_slo, gw_firewall, gw_prompt and gw_context are attached to the answer.',
  settle:
    'The exact cost is charged and the usage row written in one transaction; then the answer, or ' +
    'the last chunk of a stream, leaves.',
} as const;

/**
 * What every chat and embeddings request passes, in this order. The data-flow diagram and the
 * documents are made from this list, and a test holds it against the files beside it.
 */
export const STAGES: readonly ValuesOf<typeof STAGE.fields>[] = Object.entries(DESCRIPTIONS).map(
  ([name, description]) => ({ name, description }),
);
