import type { ErrorRow } from '../../kernel/errors/row.js';

/** Why a request is answered by no model. */
export const STAGE_ERRORS = {
  model_not_found: {
    status: 404,
    type: 'not_found_error',
    message: 'The model {model} does not exist. {hint}',
    cause: 'No configured provider serves a model of this name.',
    fix: [
      'Use a name from GET /v1/models, or gw:auto.',
      'Keep the name and make it an alias: POST /v1/gw/model-aliases, modelAliasPublish.',
    ],
    ru: {
      message: 'Модели {model} не существует. {hint}',
      cause: 'Ни один настроенный провайдер не обслуживает модель с таким именем.',
      fix: [
        'Возьмите имя из GET /v1/models или gw:auto.',
        'Сохраните имя и сделайте его псевдонимом: POST /v1/gw/model-aliases, modelAliasPublish.',
      ],
    },
  },
  capability_unsupported: {
    status: 400,
    type: 'invalid_request_error',
    message: 'No permitted model can do what the request uses: {capabilities}.',
    cause: 'The request uses a capability that the chosen model, or every allowed model, lacks.',
    fix: ['Choose a model with the capability in GET /v1/gw/devex/model-capabilities.'],
    ru: {
      message: 'Ни одна разрешённая модель не умеет того, что нужно запросу: {capabilities}.',
      cause:
        'Запрос использует возможность, которой нет у выбранной модели или ни у одной из ' +
        'разрешённых.',
      fix: ['Выберите модель с этой возможностью в GET /v1/gw/devex/model-capabilities.'],
    },
  },
  cannot_route: {
    status: 422,
    type: 'invalid_request_error',
    message: 'No model passes the routing terms {contract}, version {version}: {reasons}.',
    cause:
      'The router passes every model through the limits of the contract or route policy, and its ' +
      'terms say that nothing answers where none passes.',
    fix: [
      'Ask POST /v1/gw/routing/simulate which limit keeps which model out.',
      'Publish terms with wider limits, or with when_none_passes NEXT_BEST.',
      'In the mode ASSURED, publish a measured scorecard first (POST /v1/gw/routing/scorecards), ' +
        'report outcomes, or allow when_unmeasured NEXT_BEST.',
    ],
    ru: {
      message:
        'Ни одна модель не проходит по условиям маршрутизации {contract}, версия {version}: ' +
        '{reasons}.',
      cause:
        'Маршрутизатор проверяет каждую модель по ограничениям контракта или политики ' +
        'маршрута, а условия говорят: если не прошла ни одна, не отвечает никто.',
      fix: [
        'Узнайте через POST /v1/gw/routing/simulate, какое ограничение не пропускает какую ' +
          'модель.',
        'Опубликуйте условия шире или с when_none_passes NEXT_BEST.',
        'В режиме «ASSURED» сначала опубликуйте измеренную карту качества (POST ' +
          '/v1/gw/routing/scorecards), сообщите исходы или разрешите when_unmeasured NEXT_BEST.',
      ],
    },
  },
  context_length_exceeded: {
    status: 400,
    type: 'invalid_request_error',
    message: 'About {tokens} tokens are more than the {limit} that the model takes.',
    cause: 'Prompt and answer together pass the context window of the model.',
    fix: ['Shorten the prompt, lower max_tokens or choose a model with a longer window.'],
    ru: {
      message:
        'В запросе примерно {tokens|токен|токена|токенов}, а модель принимает не больше ' +
        '{limit}.',
      cause: 'Промпт вместе с ответом не помещается в контекстное окно модели.',
      fix: ['Сократите промпт, уменьшите max_tokens или выберите модель с большим окном.'],
    },
  },
  firewall_scan_too_long: {
    status: 422,
    type: 'invalid_request_error',
    message: 'The firewall needs more than {seconds} seconds to read the request.',
    cause:
      'One scan is given a fixed time. What was not read to its end is never sent, since it may ' +
      'hold what a policy masks or blocks.',
    fix: ['Split the request into smaller ones.'],
    ru: {
      message:
        'Межсетевому экрану данных нужно больше {seconds|секунды|секунд|секунд}, чтобы прочитать ' +
        'запрос.',
      cause:
        'На одну проверку отведено определённое время. Запрос, не прочитанный до конца, не ' +
        'отправляется: в нём может быть то, что политика скрывает или не пропускает.',
      fix: ['Разделите запрос на несколько меньших.'],
    },
  },
  firewall_busy: {
    status: 503,
    type: 'api_error',
    message: 'The firewall had no turn for a long text within {seconds} seconds.',
    cause:
      'Long texts, and those of policies with patterns, are read one after another, and others ' +
      'were in front. The organization that has used the least time lately is next.',
    fix: [
      'Retry after the time in `retry-after`.',
      'Send fewer long texts at once, or ask the operator for more nodes.',
    ],
    ru: {
      message:
        'До длинного текста очередь межсетевого экрана данных не дошла за ' +
        '{seconds|секунду|секунды|секунд}.',
      cause:
        'Длинные тексты и тексты, к которым политика применяет шаблоны, читаются по одному, и ' +
        'впереди были другие. Следующей идёт организация, занявшая в последнее время меньше ' +
        'всего времени.',
      fix: [
        'Повторите через время из `retry-after`.',
        'Отправляйте меньше длинных текстов одновременно или попросите оператора добавить узлы.',
      ],
    },
  },
  firewall_scan_lost: {
    status: 503,
    type: 'api_error',
    message: 'The firewall cannot read the rest of the streamed answer, so it is not sent.',
    cause:
      'The thread that reads long streamed answers was ended, by another text that took too much ' +
      'time or memory. Unread text is never sent. What was delivered is charged; with an ' +
      'idempotency key nothing is.',
    fix: ['Send the request again.'],
    ru: {
      message:
        'Межсетевой экран данных не может дочитать потоковый ответ, поэтому остаток не отправлен.',
      cause:
        'Поток, который читает длинные потоковые ответы, был остановлен: другой текст занял ' +
        'слишком много времени или памяти. Непрочитанный текст не отправляется. Списано за то, ' +
        'что доставлено; с ключом идемпотентности не списано ничего.',
      fix: ['Отправьте запрос ещё раз.'],
    },
  },
  model_without_price: {
    status: 503,
    type: 'api_error',
    message: 'The model {model} has no price in force, so it is not called.',
    cause:
      'A usage dimension without a dated price is refused before the call, never billed as zero.',
    fix: ['Choose another model; the operator must add a price row.'],
    ru: {
      message: 'У модели {model} нет действующей цены, поэтому она не вызвана.',
      cause:
        'Если у измерения расхода нет цены на дату, запрос отклоняется до вызова и никогда ' +
        'не считается бесплатным.',
      fix: ['Выберите другую модель; цену должен добавить оператор.'],
    },
  },
  controls_changing: {
    status: 503,
    type: 'api_error',
    message:
      'The policies, contracts or switches of the organization change too fast to decide by.',
    cause:
      'A request is decided by what is in force when its funds are held. It was overtaken by a ' +
      'change eight times in a row.',
    fix: ['Retry after the time in `retry-after`.', 'Publish such changes less often.'],
    ru: {
      message:
        'Политики, контракты или выключатели организации меняются слишком быстро, чтобы по ' +
        'ним решать.',
      cause:
        'Запрос решается по тому, что действует в момент удержания средств. Изменения ' +
        'опередили его восемь раз подряд.',
      fix: ['Повторите через время из `retry-after`.', 'Публикуйте такие изменения реже.'],
    },
  },
} as const satisfies Record<string, ErrorRow>;
