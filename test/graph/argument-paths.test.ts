import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Customer,
  graphql,
  newCustomer,
  rest,
  startApp,
  type TestApp,
} from '../support/app.js';

let app: TestApp;
let customer: Customer;
beforeAll(async () => {
  app = await startApp();
  customer = await newCustomer(app);
});
afterAll(() => app.stop());

/** A mutation with an input that is wrong everywhere, and where its faults are. */
const WRONG = [
  {
    field: 'promptCreate',
    type: 'PromptCreateInput',
    input: { promptKey: 'a b', ownerTeam: '', variables: [{ name: '1' }], sampleVariables: [] },
    paths: [
      'input.ownerTeam',
      'input.promptKey',
      'input.sampleVariables',
      'input.template',
      'input.variables.0.name',
    ],
    row: '/v1/gw/prompts',
    body: { prompt_key: 'a b', owner_team: '', variables: ['1'], sample_variables: [] },
    names: ['owner_team', 'prompt_key', 'sample_variables', 'template', 'variables.0.name'],
  },
  {
    field: 'toolRegister',
    type: 'ToolRegisterInput',
    input: {
      toolKey: 'A b',
      verbs: [{ verb: 'fly' }],
      endpointUrl: 'http://a.example',
      timeoutMs: 1,
    },
    paths: ['input.endpointUrl', 'input.timeoutMs', 'input.toolKey', 'input.verbs.0.verb'],
    row: '/v1/gw/tools/register',
    body: { tool_key: 'A b', verbs: ['fly'], endpoint_url: 'http://a.example', timeout_ms: 1 },
    names: ['endpoint_url', 'timeout_ms', 'tool_key', 'verbs.0.verb'],
  },
  {
    field: 'toolCallExecute',
    type: 'ToolActionInput',
    input: { toolKey: '', verb: '', sessionId: 'x'.repeat(200), arguments: [] },
    paths: ['input.arguments', 'input.sessionId', 'input.toolKey', 'input.verb'],
    row: '/v1/gw/tools/execute',
    body: { tool_key: '', verb: '', session_id: 'x'.repeat(200), arguments: [] },
    names: ['arguments', 'session_id', 'tool_key', 'verb'],
  },
  {
    field: 'integrationActionPreview',
    type: 'IntegrationPreviewInput',
    input: { connector: 'amocrm', action: 'deal.fly', recordId: 'x'.repeat(300), record: 1 },
    paths: ['input.action', 'input.record', 'input.recordId'],
    row: '/v1/gw/integrations/actions/preview',
    body: { connector: 'amocrm', action: 'deal.fly', record_id: 'x'.repeat(300), record: 1 },
    names: ['action', 'record', 'record_id'],
  },
] as const;

interface Told {
  readonly faults: readonly { readonly path: string }[];
}

const pathsOf = ({ faults }: Told) => faults.map(({ path }) => path).sort();

describe.each(WRONG)('$field', ({ field, type, input, paths, row, body, names }) => {
  it('names the faults of its input by the paths of its arguments', async () => {
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { id } }`;
    const { errors = [] } = await graphql(app, query, { input }, customer.token);
    expect(pathsOf(errors[0]?.extensions as unknown as Told)).toEqual(paths);
  });

  it('names them on REST by the names of the wire', async () => {
    const credential = customer.token;
    const answer = await rest<{ error: Told }>(app, 'POST', row, { credential, body });
    expect(pathsOf(answer.body.error)).toEqual(names);
  });
});
