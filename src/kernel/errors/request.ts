import type { StatedError } from './row.js';

/** Faults of the request itself, and what any operation may meet. */
export const REQUEST_ERRORS = {
  invalid_request: {
    status: 400,
    message: '{summary}',
    cause:
      'One or more fields of the path, the query or the body are missing, misspelt or of the ' +
      'wrong type.',
    fix: [
      'Read `faults` in the error: it names every field that is wrong, and what was expected.',
      'Compare the request with the example of this operation in /openapi.json.',
    ],
    ru: {
      message: '{summary}',
      cause:
        'Одно или несколько полей пути, строки запроса или тела отсутствуют, написаны с ' +
        'ошибкой или имеют неверный тип.',
      fix: [
        'Прочитайте `faults` в ошибке: там названо каждое неверное поле и что в нём ожидалось.',
        'Сравните запрос с примером этой операции в /openapi.json.',
      ],
    },
  },
  invalid_json: {
    status: 400,
    message: 'The body is not valid JSON: {reason}.',
    cause:
      'The body could not be parsed, is deeper or holds more values than is read, or holds a ' +
      'forbidden key.',
    fix: ['Send a JSON object and the header content-type: application/json.'],
    ru: {
      message: 'Тело запроса — некорректный JSON: {reason}.',
      cause:
        'Тело не удалось разобрать, его вложенность или число значений больше допустимого ' +
        'или в нём есть запрещённый ключ.',
      fix: ['Передайте объект JSON и заголовок content-type: application/json.'],
    },
  },
  not_found: {
    status: 404,
    message: 'No {subject} with id {id}.',
    cause: 'The id does not exist in your organization.',
    fix: ['List the objects and use an id from that list.'],
    ru: {
      message: 'Объект не найден: {subject}, идентификатор {id}.',
      cause: 'В вашей организации нет объекта с таким идентификатором.',
      fix: ['Запросите список объектов и возьмите идентификатор из него.'],
    },
  },
  invalid_cursor: {
    status: 400,
    message: 'The cursor is not one that this list has given out.',
    cause: 'Cursors are opaque and belong to the list that returned them.',
    fix: ['Pass `next_cursor` of the previous page unchanged, or start without a cursor.'],
    ru: {
      message: 'Этот список не выдавал такого курсора.',
      cause: 'Курсор непрозрачен и действует только для того списка, который его вернул.',
      fix: ['Передайте `next_cursor` предыдущей страницы без изменений или начните без курсора.'],
    },
  },
  idempotency_key_reused: {
    status: 422,
    message: 'This Idempotency-Key was already used with another body.',
    cause: 'An idempotency key names one request; the first body under this key was different.',
    fix: ['Use a new key for a new request.', 'Retry with exactly the body that was sent first.'],
    ru: {
      message: 'Этот Idempotency-Key уже использован с другим телом запроса.',
      cause:
        'Ключ идемпотентности обозначает один запрос, а первое тело с этим ключом было ' +
        'другим.',
      fix: [
        'Для нового запроса возьмите новый ключ.',
        'При повторе передайте в точности то тело, которое было первым.',
      ],
    },
  },
  idempotency_in_progress: {
    status: 409,
    message: 'A request with this Idempotency-Key is still running.',
    cause: 'The first request under this key has not been answered yet.',
    fix: ['Wait for the first answer, then repeat the request to receive it again.'],
    ru: {
      message: 'Запрос с этим Idempotency-Key ещё выполняется.',
      cause: 'На первый запрос с этим ключом ответа пока нет.',
      fix: ['Дождитесь первого ответа и повторите запрос, чтобы получить его снова.'],
    },
  },
  idempotency_answer_not_kept: {
    status: 409,
    message: 'The request under this Idempotency-Key was done, but its answer was not kept.',
    cause:
      'Answers of more than 1 MiB are not stored, and what was charged before a crash may have ' +
      'none; running the request again would do it twice.',
    fix: [
      'Look the result up, for example by request_id in GET /usage; use a new key to run again.',
    ],
    ru: {
      message: 'Запрос с этим Idempotency-Key выполнен, но его ответ не сохранён.',
      cause:
        'Ответы больше 1 МиБ не сохраняются, а у того, что было оплачено перед сбоем, ответа ' +
        'может не быть; новый запуск выполнил бы запрос второй раз.',
      fix: [
        'Найдите результат, например по request_id в GET /usage; чтобы выполнить запрос ' +
          'снова, возьмите новый ключ.',
      ],
    },
  },
  query_too_complex: {
    status: 400,
    message: '{reason}',
    cause: 'The GraphQL operation passes a limit of depth, complexity, aliases or tokens.',
    fix: [
      'Ask for fewer fields or smaller pages; the price of an operation is in extensions.cost.',
    ],
    ru: {
      message: '{reason}',
      cause: 'Операция GraphQL превышает предел глубины, сложности, числа псевдонимов или токенов.',
      fix: [
        'Запросите меньше полей или страницы поменьше; цена операции указана в extensions.cost.',
      ],
    },
  },
  rate_limit_points: {
    status: 429,
    message: 'The operations of a minute are worth more than {limit} points.',
    cause: 'Each GraphQL operation has a price in points, which extensions.cost tells.',
    fix: ['Wait for `retry-after`; ask for fewer fields or smaller pages.'],
    ru: {
      message: 'Операции за минуту стоят больше, чем {limit|балл|балла|баллов}.',
      cause: 'У каждой операции GraphQL есть цена в баллах, она указана в extensions.cost.',
      fix: ['Подождите время из `retry-after`; запросите меньше полей или страницы поменьше.'],
    },
  },
  graphql_invalid: {
    status: 400,
    message: '{reason}',
    cause: 'The GraphQL document does not parse or does not fit the schema.',
    fix: ['Check the document against /schema.graphql or in the explorer at /graphiql.'],
    ru: {
      message: '{reason}',
      cause: 'Документ GraphQL не разбирается или не соответствует схеме.',
      fix: [
        'Сверьте документ с /schema.graphql или проверьте его в редакторе запросов на /graphiql.',
      ],
    },
  },
  capability_roadmap: {
    status: 501,
    type: 'invalid_request_error',
    message: '{capability} is on the roadmap and cannot be used yet.',
    cause: 'The capability is announced, not built.',
    fix: ['Use one of the capabilities that the reference list marks as available.'],
    ru: {
      message: 'Возможность пока в планах, пользоваться ею нельзя: {capability}.',
      cause: 'Возможность объявлена, но ещё не реализована.',
      fix: ['Используйте возможность, которая в справочнике отмечена как доступная.'],
    },
  },
  lifecycle_refused: {
    status: 422,
    message: '"{event}" is not possible in the state "{state}"; possible: {allowed}.',
    cause: 'The state table of the object has no such step.',
    fix: ['Use one of the events that the message lists.'],
    ru: {
      message: 'Событие «{event}» невозможно в состоянии «{state}»; возможны: {allowed}.',
      cause: 'В таблице состояний объекта нет такого перехода.',
      fix: ['Используйте одно из событий, перечисленных в сообщении.'],
    },
  },
  ledger_unavailable: {
    status: 503,
    message: 'The ledger cannot be written; nothing was called and nothing is charged.',
    cause: 'The database does not answer. Admission fails closed.',
    fix: ['Retry after the time in `retry-after`.'],
    ru: {
      message: 'Запись в книгу учёта невозможна; модель не вызвана, ничего не списано.',
      cause: 'База данных не отвечает. Без неё запросы не допускаются.',
      fix: ['Повторите запрос через время из `retry-after`.'],
    },
  },
  report_timed_out: {
    status: 503,
    message: 'The report took longer than it may and was stopped; nothing was changed.',
    cause: 'It reads more than the database sums up in that time. The database itself answers.',
    fix: [
      'Ask for a narrower period.',
      'Ask for fewer dimensions, or for coarser periods such as months.',
      'Retry at a quieter time.',
    ],
    ru: {
      message: 'Отчёт строился дольше допустимого и остановлен; ничего не изменено.',
      cause: 'Он читает больше, чем база данных успевает сложить за это время. Сама база отвечает.',
      fix: [
        'Возьмите более короткий период.',
        'Возьмите меньше измерений или более крупные интервалы, например месяцы.',
        'Повторите в более спокойное время.',
      ],
    },
  },
  too_many_sockets: {
    status: 429,
    message: 'This address has {max} sockets open, which is as many as it may.',
    cause: 'Sockets are limited by address and by credential on each node.',
    fix: ['Close sockets that are not used; follow several feeds on one socket.'],
    ru: {
      message: 'С этого адреса открыто соединений WebSocket: {max}. Больше нельзя.',
      cause: 'Число соединений на узле ограничено для сетевого адреса и для ключа.',
      fix: ['Закройте лишние соединения; по одному соединению можно следить за многими лентами.'],
    },
  },
  overloaded: {
    status: 503,
    message: 'The gateway is at its capacity.',
    cause:
      'The node refuses before it reads the body, to keep running requests fast; reports first, ' +
      'then whoever has more than their share. It also refuses logins while too many wait.',
    fix: ['Retry after the time in `retry-after`.'],
    ru: {
      message: 'Шлюз загружен полностью.',
      cause:
        'Узел отказывает до чтения тела, чтобы уже идущие запросы оставались быстрыми: сначала ' +
        'отчётам, затем тем, кто занял больше своей доли. Так же он отказывает во входе, пока ' +
        'ожидающих слишком много.',
      fix: ['Повторите через время из `retry-after`.'],
    },
  },
  internal_error: {
    status: 500,
    message: 'Something failed inside the gateway. Quote the request id to support.',
    cause: 'A fault of the gateway, not of the request.',
    fix: ['Retry; if it persists, report the request id.'],
    ru: {
      message: 'Внутренняя ошибка шлюза. Сообщите поддержке идентификатор запроса.',
      cause: 'Ошибка на стороне шлюза, а не в запросе.',
      fix: ['Повторите запрос; если ошибка не уходит, сообщите идентификатор запроса.'],
    },
  },
} as const satisfies Record<string, StatedError>;
