import { answeredIn } from '../../../graph/answered-in.js';
import type { Ctx } from '../../../graph/ctx.js';
import { failOnFaults } from '../../../kernel/errors/fail.js';
import { inputFaults } from '../../../kernel/fields/faults.js';
import { quickstartOf, stackOf, unknownStack } from './quickstart.rules.js';
import { QUICKSTART_QUESTION, type Quickstart } from './tables.js';

/**
 * The quickstart of a stack at the address that the caller used, in the language that is preferred.
 * @throws invalid_request that names the known stacks
 */
export function quickstart({ transport }: Ctx, name: string): Quickstart {
  failOnFaults(inputFaults(QUICKSTART_QUESTION, { stack: name }, ''));
  const stack = stackOf(name);
  if (stack) return quickstartOf(stack, transport.baseUrl, answeredIn(transport));
  const fault = unknownStack('stack', name);
  failOnFaults([fault]);
  throw new TypeError(fault.message);
}
