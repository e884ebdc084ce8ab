import type { Phrase } from '../language/phrases.js';

/** Faults that one operation each says, in Russian. */
export const RARE_FAULT_PHRASES: readonly Phrase[] = [
  [
    '{path} must be rotate or revoke, not both.',
    'Поле {path}: укажите либо rotate, либо revoke, но не оба.',
  ],
  [
    '{path} must not name none beside another action.',
    'Поле {path}: none нельзя указать вместе с другим действием.',
  ],
  [
    '{path} is {name} a second time in this policy.',
    'Поле {path}: {name} уже есть в этой политике.',
  ],
  [
    '{path} goes with prompt_pack_used, and is needed there.',
    'Поле {path} указывают при событии prompt_pack_used, и там оно обязательно.',
  ],
  [
    '{path} is needed: users are counted by it, and a key does not say whose event it is.',
    'Поле {path} обязательно: по нему считают пользователей, а ключ не говорит, чьё это событие.',
  ],
  [
    '{path} must be left out by a member, who is its own user.',
    'Поле {path} не указывают, если запрос от участника: он сам и есть пользователь.',
  ],
  ['{path} is what http_webhook calls.', 'Поле {path} обязательно: его вызывает http_webhook.'],
  ['{path} lists {name} again.', 'Поле {path}: {name} уже есть в списке.'],
  [
    '{path} is not called by the connector simulated; leave one of them out.',
    'Поле {path}: коннектор simulated его не вызывает; оставьте что-то одно.',
  ],
  ['{path} or toolKey is needed.', 'Нужно поле {path} или toolKey.'],
  [
    '{path} must be the tool of the listing, {name}.',
    'Поле {path}: нужен инструмент этой карточки, {name}.',
  ],
  ['{path} is answered twice.', 'Поле {path}: на этот вопрос ответ дан дважды.'],
  [
    '{path} is that of the built-in sandbox.',
    'Поле {path}: этот идентификатор занят встроенной песочницей.',
  ],
  [
    '{path} must keep the prices of {days} as they are.',
    'Поле {path}: цены за {days} менять нельзя.',
  ],
  ['{path} must hold no { and }.', 'Поле {path}: фигурные скобки недопустимы.'],
  [
    '{path} would be one of more than {max} changes in force.',
    'Поле {path}: действующих изменений не может быть больше {max}.',
  ],
  ['{path} must have either input or messages.', 'Поле {path}: укажите либо input, либо messages.'],
  [
    '{path} must hold no credentials: no user, no fragment, no query.',
    'Поле {path}: в адресе не должно быть имени, пароля, параметров и части после #.',
  ],
  [
    '{path} begins like a standing rule.',
    'Поле {path}: с этого начинаются имена встроенных правил.',
  ],
  ['{path} cannot be followed by a rule.', 'Поле {path}: за этим правило следить не может.'],
  ['{path} is for invoices.', 'Поле {path} бывает только у счетов.'],
  [
    '{path} must be measured: one of {names}.',
    'Поле {path}: нужна измеренная величина, одна из {names}.',
  ],
  [
    '{path} is needed: the month that is billed.',
    'Поле {path} обязательно: месяц, за который выставлен счёт.',
  ],
  [
    '{path} cannot be used where nothing was delivered.',
    'Поле {path}: так нельзя, если ничего не было предоставлено.',
  ],
  [
    '{path} names an event that was replaced already.',
    'Поле {path}: это событие уже заменено другим.',
  ],
  ['{path} stands in the list already.', 'Поле {path}: это уже есть в списке.'],
  ['{path} or net_rub is needed.', 'Нужно поле {path} или net_rub.'],
  [
    '{path} is decided by the field: leave it out.',
    'Поле {path} не указывают: его определяет сама операция.',
  ],
  ['{path} stands in an earlier pair too.', 'Поле {path}: это уже есть в другой паре.'],
  ['{path} is not the sum of the pairs, {sum}.', 'Поле {path}: сумма пар другая, {sum}.'],
  ['{path} names a variant twice.', 'Поле {path}: вариант указан дважды.'],
  [
    '{path} or reason or signed is needed to classify a deal.',
    'Чтобы отнести сделку к исходу, нужно поле {path}, reason или signed.',
  ],
  [
    '{path} is a reason of {other} and not of {name}.',
    'Поле {path}: это причина для {other}, а не для {name}.',
  ],
  [
    '{path} is true, so the deal is a win and nothing else.',
    'Поле {path} равно true, значит сделка выиграна и другой исход невозможен.',
  ],
  [
    '{path} is false, so the deal is no win.',
    'Поле {path} равно false, значит сделка не выиграна.',
  ],
  [
    '{path} is needed for a plan that has no version yet.',
    'Поле {path} обязательно, пока у плана нет ни одной версии.',
  ],
  ['{path} cannot be given beside `items`.', 'Поле {path} нельзя указать вместе с `items`.'],
  ['{path} must be an object by names.', 'Поле {path} должно быть объектом с именами.'],
  ['{path} names another prompt than gw_prompt.', 'Поле {path}: в gw_prompt указан другой промпт.'],
  ['{path} is not the version of gw_prompt.', 'Поле {path}: в gw_prompt указана другая версия.'],
  [
    '{path} is one too many: {max} contracts are the most.',
    'Поле {path}: договоров не может быть больше {max}.',
  ],
  [
    '{path} must not be *, which stands for every contract.',
    'Поле {path}: знак * означает все договоры, здесь он недопустим.',
  ],
  [
    '{path} cannot be ROLLED_BACK: no version is before the latest.',
    'Поле {path}: состояние ROLLED_BACK невозможно, более ранней версии нет.',
  ],
  [
    '{path} must be {value}, as recorded.',
    'Поле {path}: записано {value}, значение должно быть таким же.',
  ],
  ['{path} lies below the quality.', 'Поле {path}: граница ниже самого качества.'],
  ['{path} lies above the quality.', 'Поле {path}: граница выше самого качества.'],
  [
    '{path} must not lie below the quality.',
    'Поле {path}: граница не может быть ниже самого качества.',
  ],
  [
    '{path} must not lie above the quality.',
    'Поле {path}: граница не может быть выше самого качества.',
  ],
  ['{path} holds nothing in the mode {mode}.', 'В режиме {mode} поле {path} ничего не значит.'],
  ['{path} is for the state PINNED alone.', 'Поле {path} бывает только в состоянии PINNED.'],
  ['{path} is for the mode FIXED alone.', 'Поле {path} бывает только в режиме FIXED.'],
  ['{path} is not on models_allowed.', 'Поле {path}: модели нет в models_allowed.'],
  [
    '{path} is served by none of providers_allowed.',
    'Поле {path}: модель не обслуживает ни один из providers_allowed.',
  ],
  ['{path} must be 0 in the mode {mode}.', 'В режиме {mode} поле {path} должно быть 0.'],
  ['{path} is needed for a margin.', 'Чтобы посчитать маржу, нужно поле {path}.'],
  ['{path} is needed for a version.', 'Чтобы назвать версию, нужно поле {path}.'],
  [
    '{path} must say what the alias stands for.',
    'Поле {path}: укажите, что означает этот псевдоним.',
  ],
  [
    '{path} must be left out: the request says it.',
    'Поле {path} не указывают: это уже известно из самого запроса.',
  ],
  [
    '{path} is needed, or the cost of another part, or a request.',
    'Укажите поле {path}, стоимость другой части или запрос.',
  ],
  [
    '{path} holds nothing: no margin is in force.',
    'Поле {path} ни на что не влияет: маржа не задана.',
  ],
  ['{path} must be a JSON Schema, an object.', 'Поле {path}: ожидается JSON-схема (объект).'],
  [
    '{path} must be a share from 0 to 1 with at most four decimals, such as 0.85.',
    'Поле {path}: ожидается доля от 0 до 1, не более четырёх знаков после запятой, например 0.85.',
  ],
  [
    '{path} is the sum of the parts: state those.',
    'Поле {path} — сумма частей: укажите сами части.',
  ],
  ['{path} follows from the fee: state fee_rub.', 'Поле {path} следует из платы: укажите fee_rub.'],
  [
    '{path} follows from the recorded plan.',
    'Поле {path} не указывают: оно следует из опубликованного тарифа.',
  ],
  [
    '{path} has no place in a chat request: state reasoning_effort_max and output_tokens_max.',
    'Для {path} в запросе к чату нет поля: укажите reasoning_effort_max и output_tokens_max.',
  ],
  [
    '{path} follows from price and cost: state those.',
    'Поле {path} следует из цены и затрат: укажите их.',
  ],
  [
    '{path} is read from the rows of the key: state only key_ref.',
    'Поле {path} не указывают: это берётся из записей самого ключа. Укажите только key_ref.',
  ],
  [
    '{path} must be left out: {source} is measured by the gateway.',
    'Поле {path} не указывают: {source} измеряет сам шлюз.',
  ],
  [
    '{path} must name at least one model beside {name}, which chooses among them.',
    'Поле {path}: укажите кроме {name} хотя бы одну модель, из которых оно выбирает.',
  ],
  [
    '{path} must name at least one address or range.',
    'Поле {path}: укажите хотя бы один адрес или диапазон.',
  ],
  [
    '{path} must be an address or a CIDR range, such as {one} or {other}.',
    'Поле {path}: укажите адрес или диапазон CIDR, например {one} или {other}.',
  ],
  [
    '{path} has bits beyond its prefix; did you mean {near}?',
    'Поле {path}: адрес выходит за префикс; возможно, вы имели в виду {near}?',
  ],
  [
    '{path} must be {end} or earlier, when its maker ends.',
    'Поле {path}: не позже {end}, когда закончится ключ, который его создал.',
  ],
  [
    '{path} must lie in the future, at most {max} days from now.',
    'Поле {path}: укажите будущее время, не дальше {max|дня|дней|дней}.',
  ],
  [
    '{path} cannot be below {risk}, which {verb} has.',
    'Поле {path}: риск не может быть ниже {risk} — таков он у действия {verb}.',
  ],
  [
    '{path} must be lower-case letters and digits, joined by single _.',
    'Поле {path}: строчные латинские буквы и цифры, между ними — одиночные _, первой — буква.',
  ],
  [
    '{path} needs model, which it stands in for.',
    'Поле {path}: укажите и model — модель, которую оно заменяет.',
  ],
  [
    '{path} is of a blueprint run that has proved no result.',
    'Поле {path}: это запрос шаблона, запуск которого не доказал результата.',
  ],
  [
    '{path} is stated by the published verb {name}.',
    'Поле {path} определяет опубликованная операция {name}.',
  ],
  [
    '{path} contradicts what is said of its changes.',
    'Поле {path} противоречит тому, что указано об изменениях.',
  ],
  [
    '{path} cannot be false for a critical verb.',
    'Поле {path}: для операции с критическим риском нельзя указать false.',
  ],
  [
    '{path} must be {name}, which the run has proved.',
    'Поле {path} должно быть равно {name}: это доказал запуск.',
  ],
];
