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
      'window of the model, gw_context.tokens_max and retrieval_tokens_max of the workload ' +
      'contract.',
    fix: [
      'Make blocks SHOULD or COULD, or shorten them.',
      'Lower max_tokens, raise gw_context.tokens_max or that of the contract, or choose a model ' +
        'with a longer window.',
    ],
    ru: {
      message:
        'Блоки MUST в gw_context занимают {tokens|токен|токена|токенов}, а для них осталось ' +
        '{room}: {blocks}.',
      cause:
        'Блок MUST никогда не отбрасывается, а сообщения, блоки и ответ вместе должны ' +
        'помещаться в окно модели, в gw_context.tokens_max и в retrieval_tokens_max контракта ' +
        'нагрузки.',
      fix: [
        'Сделайте блоки SHOULD или COULD либо сократите их.',
        'Уменьшите max_tokens, увеличьте gw_context.tokens_max или предел контракта либо ' +
          'выберите модель с большим окном.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
