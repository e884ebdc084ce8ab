import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { EASY_CASES, evaluate, evaluated, posted } from '../../support/proof.js';
import { newPrompt } from '../packages/samples.js';

/** A package with a version and a case set. @returns its id */
async function newCases(
  app: TestApp,
  { token }: Customer,
  cases: readonly object[] = EASY_CASES,
): Promise<string> {
  const id = await newPrompt(app, token);
  await posted(app, token, `prompts/${id}/case-sets`, { cases });
  return id;
}

async function run(
  app: TestApp,
  token: string,
  query: string,
  variables: Record<string, unknown>,
): Promise<Record<string, { readonly id: string }>> {
  const { data, errors } = await graphql<Record<string, { readonly id: string }>>(
    app,
    query,
    variables,
    token,
  );
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** So many that their evaluation has not ended when it is asked to. */
const MANY_CASES = Array.from({ length: 100 }, (_each, index) => ({
  ...EASY_CASES[0],
  name: `easy ${index}`,
}));

const START = `mutation($id: ID!) {
  promptEvaluationStart(promptId: $id, input: { budgetRub: "10" }) { id }
}`;

/** Calls of every mutation of evaluations, each of which succeeds. */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    promptCaseSetCreate: async ({ token }) =>
      run(
        app,
        token,
        `mutation($id: ID!) {
          promptCaseSetCreate(promptId: $id, input: { cases: [{ name: "x" }] }) { id }
        }`,
        { id: await newPrompt(app, token) },
      ),
    promptEvaluationStart: async (customer) => {
      const data = await run(app, customer.token, START, { id: await newCases(app, customer) });
      await evaluated(app, customer.token, data.promptEvaluationStart?.id ?? '');
      return data;
    },
    promptEvaluationCancel: async (customer) => {
      const { token } = customer;
      const data = await run(app, token, START, { id: await newCases(app, customer, MANY_CASES) });
      const id = data.promptEvaluationStart?.id ?? '';
      return run(app, token, 'mutation($id: ID!) { promptEvaluationCancel(id: $id) { id } }', {
        id,
      });
    },
  };
}

/** One of each thing of evaluations, with its id by type name. */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { token } = customer;
  const promptId = await newCases(app, customer);
  const done = await evaluate(app, token, promptId);
  const { data } = await graphql<{
    promptCaseSets: { nodes: { id: string }[] };
    promptEvaluationResults: { nodes: { id: string }[] };
  }>(
    app,
    `query($promptId: ID!, $id: ID!) {
      promptCaseSets(promptId: $promptId) { nodes { id } }
      promptEvaluationResults(id: $id) { nodes { id } }
    }`,
    { promptId, id: done.id },
    token,
  );
  return {
    PromptCaseSet: data.promptCaseSets.nodes[0]?.id ?? '',
    PromptEvaluation: done.id,
    PromptEvaluationResult: data.promptEvaluationResults.nodes[0]?.id ?? '',
    PromptEvaluationReceipt: done.receipt_id ?? '',
  };
}
