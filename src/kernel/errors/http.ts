import type { StatedError } from './row.js';

/** What is refused for how a request is sent, whatever it asks. */
export const HTTP_ERRORS = {
  body_too_large: {
    status: 413,
    message: 'The body is larger than the {bytesMax} bytes that this operation accepts.',
    cause:
      'Management operations take up to 1 MiB, chat and embeddings up to 10 MiB, and GraphQL up ' +
      'to 64 KiB without a valid credential.',
    fix: ['Send less in one request; split long documents or long inputs.'],
    ru: {
      message: 'Тело запроса больше, чем принимает эта операция: {bytesMax|байт|байта|байт}.',
      cause:
        'Операции управления принимают до 1 МиБ, чат и эмбеддинги — до 10 МиБ, а GraphQL без ' +
        'действующего ключа — до 64 КиБ.',
      fix: [
        'Передавайте меньше за один запрос; длинные документы и входные данные разделите ' +
          'на части.',
      ],
    },
  },
  request_timeout: {
    status: 408,
    message: 'The body did not arrive within {seconds} seconds.',
    cause: 'The client or a proxy on the way stopped sending before the body was complete.',
    fix: ['Send the request again; check proxies that buffer or throttle uploads.'],
    ru: {
      message: 'Тело запроса не пришло за {seconds|секунду|секунды|секунд}.',
      cause:
        'Клиент или прокси на пути перестал передавать данные раньше, чем тело пришло ' +
        'целиком.',
      fix: ['Повторите запрос; проверьте прокси, которые буферизуют или замедляют отправку.'],
    },
  },
  unknown_url: {
    status: 404,
    message: 'Unknown path {method} {path}. {cure}',
    cause: 'The gateway has no operation at this method and path.',
    fix: [
      'Use {base_url}/v1 as the base address of an SDK client.',
      'Clients that default to the Responses API: choose chat completions (Vercel AI SDK: ' +
        'provider.chat(id); n8n: "Use Responses API" off).',
      'All paths are listed in /openapi.json.',
    ],
    ru: {
      message: 'Неизвестный путь: {method} {path}. {cure}',
      cause: 'У шлюза нет операции с таким методом и путём.',
      fix: [
        'Укажите в клиенте SDK базовый адрес {base_url}/v1.',
        'Если клиент по умолчанию использует Responses API, выберите chat completions ' +
          '(Vercel AI SDK: provider.chat(id); n8n: выключите «Use Responses API»).',
        'Все пути перечислены в /openapi.json.',
      ],
    },
  },
  invalid_host: {
    status: 400,
    message: 'The header `Host` must be given once, as a host name or address with its port.',
    cause: 'The request names no host, a malformed one, or several.',
    fix: [
      'Send one header such as `Host: gateway.example.com:8080`, and check proxies on the way.',
    ],
    ru: {
      message: 'Заголовок `Host` передаётся один раз: имя или адрес узла и порт.',
      cause: 'Узел в запросе не указан, указан с ошибкой или несколько раз.',
      fix: [
        'Передайте один заголовок, например `Host: gateway.example.com:8080`, и проверьте прокси ' +
          'на пути.',
      ],
    },
  },
  method_not_allowed: {
    status: 405,
    message: '{path} does not answer {method}; it answers {allowed}.',
    cause: 'The path exists under another method.',
    fix: ['Use one of the methods in the `allow` header.'],
    ru: {
      message: 'Путь {path} не поддерживает метод {method}; поддерживаются: {allowed}.',
      cause: 'Путь существует, но с другим методом.',
      fix: ['Используйте один из методов, перечисленных в заголовке `allow`.'],
    },
  },
  unsupported_media_type: {
    status: 415,
    message: 'Bodies of the type {type} are not read here; send application/json.',
    cause: 'GraphQL takes JSON bodies, and `application/graphql` for a bare document.',
    fix: ['Send the header content-type: application/json and a body with the member "query".'],
    ru: {
      message: 'Тело с типом {type} здесь не принимается; передайте application/json.',
      cause: 'Тела принимаются в JSON, а один документ — и как `application/graphql`.',
      fix: ['Передайте заголовок content-type: application/json и тело с полем «query».'],
    },
  },
  preflight_needed: {
    status: 403,
    message: 'A form is read only with the header `apollo-require-preflight`; better send JSON.',
    cause:
      'Pages of other sites can make a browser send a form, and cannot send this header unasked.',
    fix: ['Send application/json, or the header `apollo-require-preflight: true`.'],
    ru: {
      message:
        'Форма принимается только с заголовком `apollo-require-preflight`; лучше передайте JSON.',
      cause:
        'Страница чужого сайта может отправить форму из браузера, а этот заголовок без ' +
        'разрешения — нет.',
      fix: ['Передайте application/json или заголовок `apollo-require-preflight: true`.'],
    },
  },
  not_acceptable: {
    status: 406,
    message: 'The answer has none of the types that `accept` names; it can be {types}.',
    cause: 'Answers of GraphQL are JSON, those of subscriptions events.',
    fix: [
      'Send `accept: application/json`; for a subscription `accept: text/event-stream`, or use a ' +
        'WebSocket.',
    ],
    ru: {
      message: 'Ответа в формате из `accept` нет; возможны: {types}.',
      cause: 'Ответы GraphQL приходят в JSON, ответы подписок — событиями.',
      fix: [
        'Передайте `accept: application/json`; для подписки — `accept: text/event-stream` или ' +
          'используйте WebSocket.',
      ],
    },
  },
} as const satisfies Record<string, StatedError>;
