import type { ErrorRow } from '../../kernel/errors/row.js';

/** Why the blocks of a request cannot be sent. */
export const CONTEXT_ERRORS = {
  context_cannot_compile: {
    status: 400,
    type: 'invalid_request_error',
    message:
      'The MUST blocks of gw_context take {tokens} tokens and {room} are left for them: {blocks}.',
    cause:
      'A MUST block is never dropped, and messages, blocks and answer together must fit the ' +
      'window of the model and gw_context.tokens_max.',
    fix: [
      'Make blocks SHOULD or COULD, or shorten them.',
      'Lower max_tokens, raise gw_context.tokens_max or choose a model with a longer window.',
    ],
  },
} as const satisfies Record<string, ErrorRow>;
