import type { ErrorRow } from '../../kernel/errors/row.js';

/** Blueprints. */
export const BLUEPRINT_ERRORS = {
  blueprint_unknown: {
    status: 404,
    type: 'not_found_error',
    message: 'No blueprint is named {id}. {hint}',
    cause: 'The id in the path is the slug of a blueprint of the catalogue.',
    fix: ['Use an id of GET /v1/gw/blueprints.'],
  },
  blueprint_sandbox_off: {
    status: 501,
    type: 'invalid_request_error',
    message: 'Blueprints cannot be run here: the sandbox of this server is switched off.',
    cause: 'Sandbox runs use the built-in simulated models, and GW_SANDBOX is off.',
    fix: ['Ask the operator to set GW_SANDBOX=on, or use a server with the sandbox.'],
  },
  blueprint_output_invalid: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The answer of {model} does not satisfy the output schema of the step: {faults}',
    cause: 'The model answered something else than the schema of the step allows, or was cut.',
    fix: ['Look at the receipt of the step; raise max_output_tokens, or choose another model.'],
  },
  blueprint_step_output_invalid: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The output of the step {step} does not satisfy its output schema: {faults}',
    cause: 'The step computed something else than its output schema allows.',
    fix: ['Look at the output in the receipt of the step; correct the input or the schema.'],
  },
  blueprint_limit_reached: {
    status: 409,
    type: 'conflict_error',
    message: 'No more {what} can be stored: {max} are.',
    cause: 'Manifests of an organization and their versions are bounded, and are never deleted.',
    fix: ['Store the next version of a manifest that is there, or one under another id.'],
  },
  blueprint_check_failed: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The checks of the step {step} failed: {checks}.',
    cause: 'The step ends the run where one of its checks does not hold.',
    fix: ['Look at the violations in the receipt of the step and correct the input.'],
  },
  blueprint_step_cost_exceeded: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The step can cost {most} RUB, and {left} are left of what the manifest allows.',
    cause:
      'The request is priced at its longest before it is sent, and run_rub_max bounds the run.',
    fix: ['Give a shorter input, or lower max_output_tokens of the step.'],
  },
  blueprint_run_cost_exceeded: {
    status: 402,
    type: 'insufficient_quota',
    message: 'The run has cost {spent} RUB, and the manifest allows {allowed}.',
    cause: 'The cost of the steps so far reached run_rub_max of the manifest.',
    fix: ['Give a shorter input.'],
  },
} as const satisfies Record<string, ErrorRow>;
