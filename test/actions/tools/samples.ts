import { type Customer, graphql, type TestApp } from '../../support/app.js';
import { DESK, decide, execute, REFUND, register } from './world.js';

const CLOSE = { tool_key: 'desk', verb: 'close', arguments: { id: 'T-1' } };

async function called(app: TestApp, customer: Customer, action: object): Promise<string> {
  await register(app, customer, DESK);
  return (await execute(app, customer.token, action)).body.id;
}

/**
 * How each mutation is called so that it leaves one event of the audit trail: of its own name, and
 * of `approvalApprove` and `approvalReject` for the decisions about calls.
 */
export function callsOf(
  app: TestApp,
): Readonly<Record<string, (customer: Customer) => Promise<unknown>>> {
  return {
    toolRegister: (customer) => register(app, customer, DESK),
    toolSigningSecretRotate: async (customer) => {
      await register(app, customer, { ...DESK, endpoint_url: 'https://hooks.example.com/desk' });
      const text = 'mutation { toolSigningSecretRotate(toolKey: "desk") { id } }';
      return graphql(app, text, {}, customer.token);
    },
    toolCallExecute: (customer) => called(app, customer, CLOSE),
    toolCallApprove: async (customer) =>
      decide(app, customer.token, await called(app, customer, REFUND), 'approve'),
    toolCallReject: async (customer) =>
      decide(app, customer.token, await called(app, customer, REFUND), 'reject'),
    toolCallRollback: async (customer) =>
      decide(app, customer.token, await called(app, customer, CLOSE), 'rollback'),
  };
}

/** One of each thing of the module. @returns the ids by the names of the types */
export async function belongingsOf(
  app: TestApp,
  customer: Customer,
): Promise<Record<string, string>> {
  const { body } = await register(app, customer, DESK);
  const call = await execute(app, customer.token, REFUND);
  return { Tool: body.id, ToolCall: call.body.id };
}
