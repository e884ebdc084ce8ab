import type { ErrorRow } from '../../kernel/errors/row.js';

/** How a stream fails that has begun. */
export const CHAT_ERRORS = {
  stream_cut: {
    status: 502,
    type: 'upstream_error',
    message: 'The stream was cut before its answer was complete: {reason}. {charged}',
    cause:
      'The provider failed in the middle of its answer, the firewall could not read on, or the ' +
      'node was stopping. No other provider can go on with an answer that has begun.',
    fix: [
      'Send the request again; the message says whether the answer that was cut is charged.',
      'Send an idempotency key: an answer that is cut under a key is free.',
    ],
    ru: {
      message: 'Поток прерван раньше, чем ответ закончился: {reason}. {charged}',
      cause:
        'Провайдер отказал посреди ответа, межсетевой экран данных не смог дочитать ответ, или ' +
        'узел останавливался. Продолжить начатый ответ другой провайдер не может.',
      fix: [
        'Отправьте запрос ещё раз; в сообщении сказано, списана ли плата за прерванный ответ.',
        'Передавайте ключ идемпотентности: с ним прерванный ответ бесплатен.',
      ],
    },
  },
} as const satisfies Record<string, ErrorRow>;
