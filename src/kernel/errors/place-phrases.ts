import type { Phrase } from '../language/phrases.js';

/** What may be not found. */
const NOUNS: readonly Phrase[] = [
  ['object', 'объект'],
  ['request', 'запрос'],
  ['receipt', 'квитанция'],
  ['member', 'участник'],
  ['open invite', 'открытое приглашение'],
  ['organization', 'организация'],
  ['provider', 'провайдер'],
  ['declared provider', 'объявленный провайдер'],
  ['model', 'модель'],
  ['deployment', 'развёртывание'],
  ['model alias', 'псевдоним модели'],
  ['routing decision', 'решение маршрутизатора'],
  ['prompt version', 'версия промпта'],
  ['price plan', 'тарифный план'],
  ['connector', 'коннектор'],
  ['anomaly rule', 'правило аномалий'],
];

/** Why something is so, in half a sentence. */
const REASONS: readonly Phrase[] = [
  ['it has expired', 'срок его действия истёк'],
  ['it was not issued here', 'его выдал не этот сервер'],
  ['its session has ended', 'его сеанс завершён'],
  ['its member was removed', 'его участник удалён из организации'],
  [
    'the refresh token is unknown, was used or has expired',
    'токен обновления неизвестен, уже использован или просрочен',
  ],
  ['more than 64 levels', 'вложенность больше 64 уровней'],
  ['more than 100000 texts and names', 'больше 100 000 строк и имён'],
  ['more than 50000 objects and lists', 'больше 50 000 объектов и списков'],
  ['more than 2000000 items', 'больше 2 000 000 элементов'],
  ['more than 2000000 backslashes', 'больше 2 000 000 обратных косых черт'],
  ['wrong syntax', 'синтаксическая ошибка'],
  ['no text in UTF-8', 'текст не в UTF-8'],
  ['line {line}: {name}', 'в строке {line} ошибка («{name}»)'],
  ['it renders to nothing', 'получается пустой текст'],
  ['it renders to more than {max} characters', 'получается больше {max|символа|символов|символов}'],
  ['syntax at position {place}', 'синтаксическая ошибка в позиции {place}'],
  ['the key "{key}" is not allowed', 'ключ «{key}» недопустим'],
  [
    'content-encoding {encoding} is not read, send it plain',
    'кодирование {encoding} не поддерживается, передайте тело без сжатия',
  ],
  ['it was revoked', 'он отозван'],
  ['another key has taken over', 'его заменил другой ключ'],
  ['its gate has not run', 'её проверку ещё не запускали'],
  ['its latest gate run failed', 'её последняя проверка не прошла'],
  ['{model} is only served outside', '{model} обслуживается только за пределами России'],
  ['{provider}: it could not be reached', '{provider}: не удалось установить соединение'],
  ['{provider}: it could not be reached in time', '{provider}: соединение не установлено в срок'],
  [
    '{provider}: no secure connection to it could be made',
    '{provider}: не удалось установить защищённое соединение',
  ],
  [
    '{provider}: it did not begin to answer in time',
    '{provider}: провайдер не начал отвечать в срок',
  ],
  [
    '{provider}: it stopped in the middle of its answer',
    '{provider}: провайдер замолчал посреди ответа',
  ],
  ['{provider}: its answer took too long', '{provider}: ответ занял слишком много времени'],
  ['{provider}: it refused the request', '{provider}: провайдер отклонил запрос'],
  ['{provider}: it is at its rate limit', '{provider}: достигнут предел запросов провайдера'],
  ['{provider}: it closed the connection', '{provider}: соединение закрыто провайдером'],
  ['{provider}: its answer was cut', '{provider}: ответ оборвался'],
  ['{provider}: its answer could not be read', '{provider}: ответ не удалось прочитать'],
  [
    '{provider}: it refused the credentials of this server',
    '{provider}: провайдер не принял ключ этого сервера',
  ],
  ['{provider}: it failed inside', '{provider}: внутренняя ошибка провайдера'],
  ['the gateway is stopping', 'шлюз останавливается'],
  [
    'the firewall takes longer than {seconds} s to read its answer',
    'межсетевой экран данных читает ответ дольше {seconds|секунды|секунд|секунд}',
  ],
];

/** What is charged of an answer that was cut. */
const CHARGES: readonly Phrase[] = [
  ['Nothing is charged.', 'Ничего не списано.'],
  ['What was produced is charged.', 'Списано за то, что модель успела написать.'],
  ['What was delivered is charged.', 'Списано за то, что доставлено.'],
];

/** What was sent in the place of a credential. */
const SENT: readonly Phrase[] = [
  [
    'HTTP Basic is read from programs alone, with a key of this gateway as its password',
    'HTTP Basic принимается только от программ, с ключом этого шлюза вместо пароля',
  ],
  ['the scheme {scheme} is not read', 'схема {scheme} не поддерживается'],
  ['it is of no scheme that is read', 'такая схема не поддерживается'],
  ['the key stands without "Bearer" before it', 'перед ключом нет слова «Bearer»'],
  ['nothing stands behind "Bearer"', 'после слова «Bearer» ничего нет'],
  ['the key stands in quotes', 'ключ заключён в кавычки'],
  ['a placeholder stands where the key belongs', 'на месте ключа осталась подстановка'],
  ['the key holds spaces', 'в ключе есть пробелы'],
  ['it is a key of {service}, not of this gateway', 'это ключ {service}, а не этого шлюза'],
];

/** What helps who called a path that there is not. */
const CURES: readonly Phrase[] = [
  ['All paths are listed in /openapi.json.', 'Все пути перечислены в /openapi.json.'],
  [
    'Did you mean {near}? All paths are listed in /openapi.json.',
    'Возможно, вы имели в виду {near}? Все пути перечислены в /openapi.json.',
  ],
  [
    'The base address of an SDK client must end with /v1.',
    'Базовый адрес клиента SDK должен заканчиваться на /v1.',
  ],
  ['The base address has /v1 twice.', 'В базовом адресе /v1 указан дважды.'],
  ['Use POST /v1/chat/completions.', 'Используйте POST /v1/chat/completions.'],
];

/** What may have been meant by the name of a model. */
const HINTS: readonly Phrase[] = [
  [
    'Did you mean {near}? {auto} lets the gateway choose. To keep the name in your code, make ' +
      'it an alias: POST /v1/gw/model-aliases with alias and target, in GraphQL ' +
      'modelAliasPublish.',
    'Возможно, вы имели в виду {near}? С {auto} модель выберет шлюз. Чтобы оставить имя в коде, ' +
      'сделайте его псевдонимом: POST /v1/gw/model-aliases с alias и target, в GraphQL — ' +
      'modelAliasPublish.',
  ],
  [
    'See GET /v1/models. {auto} lets the gateway choose. To keep the name in your code, make ' +
      'it an alias: POST /v1/gw/model-aliases with alias and target, in GraphQL ' +
      'modelAliasPublish.',
    'Список моделей — в GET /v1/models. С {auto} модель выберет шлюз. Чтобы оставить имя в ' +
      'коде, сделайте его псевдонимом: POST /v1/gw/model-aliases с alias и target, в GraphQL — ' +
      'modelAliasPublish.',
  ],
];

/** Who asks, and what for. */
const PRINCIPALS: readonly Phrase[] = [
  ['Role {role}', 'роль {role}'],
  ['Key type {type}', 'тип ключа {type}'],
];

const RIGHTS: readonly Phrase[] = [
  ['to give or take the role {role}', 'назначать и снимать роль {role}'],
  ['to hold a key with the rights of the role {role}', 'держать ключ с правами роли {role}'],
  ['to rotate a key that it has not made', 'менять ключ, который создан не им'],
];

const PERIODS: readonly Phrase[] = [
  ['day', 'день'],
  ['month', 'месяц'],
];

const THINGS: readonly Phrase[] = [
  ['versions', 'версии манифеста'],
  ['manifests', 'манифесты'],
  ['rendering', 'сборка шаблона'],
];

/**
 * The phrases that the places of messages are filled with, by the name of the place. What fills any
 * other place is a name or a figure, and stays as it is.
 */
export const PLACE_PHRASES: Readonly<Record<string, readonly Phrase[]>> = {
  subject: NOUNS,
  reason: REASONS,
  charged: CHARGES,
  cure: CURES,
  hint: HINTS,
  principal: PRINCIPALS,
  permission: RIGHTS,
  period: PERIODS,
  what: THINGS,
  sent: SENT,
};
