import type { Phrase } from '../language/phrases.js';

/** Faults of single fields of the management domain, in Russian. */
export const SINGLE_FAULT_PHRASES: readonly Phrase[] = [
  [
    '{path} is needed: a member has no key of its own to look at.',
    'Поле {path} обязательно: у участника нет своего ключа, на который можно посмотреть.',
  ],
  [
    '{path} has 1 to {max} lower-case Latin letters, in words joined by _.',
    'Поле {path}: от 1 до {max|строчной латинской буквы|строчных латинских букв|строчных ' +
      'латинских букв}, слова соединяет _.',
  ],
  [
    '{path} is {name}, a class of the firewall: set its mode under firewall.',
    'Поле {path}: {name} — класс самого межсетевого экрана; его режим задают в firewall.',
  ],
  [
    '{path} must not hold control characters or half a character.',
    'Поле {path}: управляющие символы и половины символов недопустимы.',
  ],
  [
    '{path} must be the request_id of a request of this gateway, a uuid.',
    'Поле {path}: нужен request_id запроса этого шлюза (UUID).',
  ],
  [
    '{path} must be left out: {name} makes a new record.',
    'Поле {path} не указывают: {name} создаёт новую запись.',
  ],
  ['{path} must be a day as YYYY-MM-DD.', 'Поле {path}: укажите день в виде ГГГГ-ММ-ДД.'],
  [
    '{path} is missing: the gateway has not seen {name} yet.',
    'Поле {path} обязательно: шлюз ещё не видел {name}.',
  ],
  [
    '{path} must change at most {max} values; this is {count}.',
    'Поле {path}: меняется не больше {max|значения|значений|значений}, а здесь {count}.',
  ],
  [
    '{path} is needed: {name} audits the live contract.',
    'Поле {path} обязательно: {name} проверяет действующий контракт.',
  ],
  [
    '{path} is answered by the gateway itself: {value}.',
    'Поле {path}: на этот вопрос отвечает сам шлюз, его ответ — {value}.',
  ],
  [
    '{path} must be the name of a variable that begins with PROVIDER_.',
    'Поле {path}: нужно имя переменной, которое начинается с PROVIDER_.',
  ],
  ['{path} may only add prices from {day} on.', 'Поле {path}: можно только добавить цены с {day}.'],
  [
    '{path} must name from 1 to {max} capabilities, each once.',
    'Поле {path}: укажите от 1 до {max|возможности|возможностей|возможностей}, каждую один раз.',
  ],
  [
    '{path} must be the name of the variable that holds the old key, never the key.',
    'Поле {path}: укажите имя переменной, в которой лежит старый ключ, но не сам ключ.',
  ],
  [
    '{path} must be an address such as {example}.',
    'Поле {path}: укажите адрес, например {example}.',
  ],
  [
    '{path} of {type} is a count and must be at least {min}.',
    'Поле {path} правила {type} — число случаев, не меньше {min}.',
  ],
  [
    '{path} of {type} is how many times the expected and must be at least {min}.',
    'Поле {path} правила {type} — во сколько раз больше ожидаемого; не меньше {min}.',
  ],
  [
    '{path} of {type} must be a share above 0, up to 1; did you mean {near}?',
    'Поле {path} правила {type} — доля больше 0 и не больше 1; возможно, вы имели в виду {near}?',
  ],
  [
    '{path} of {type} must be a share above 0, up to 1.',
    'Поле {path} правила {type} — доля больше 0 и не больше 1.',
  ],
  [
    '{path} is what a rule of the type {type} compares.',
    'Поле {path} обязательно: его сравнивает правило вида {type}.',
  ],
  [
    '{path} is not set here: a policy (PATCH /v1/gw/policies/{id}), an ephemeral token and a ' +
      'workspace bring their own budgets.',
    'Поле {path} здесь не задают: у политики (PATCH /v1/gw/policies/{id}), временного токена и ' +
      'рабочего пространства бюджеты свои.',
  ],
  [
    '{path} would be one more than the {max} budgets that an organization may have.',
    'Поле {path}: бюджетов в организации не может быть больше {max}.',
  ],
  [
    '{path} is for costs; an invoice confirms costs that are recorded.',
    'Поле {path} бывает у расходов; счёт лишь подтверждает уже записанные.',
  ],
  [
    '{path} must be {sum}, the stated net with its VAT; state one of them.',
    'Поле {path}: указанная сумма без НДС вместе с НДС даёт {sum}; укажите что-то одно.',
  ],
  [
    '{path} has more than {max} characters of JSON; leave texts out and state prompt_tokens.',
    'Поле {path}: больше {max|символа|символов|символов} JSON; уберите тексты и укажите ' +
      'prompt_tokens.',
  ],
  [
    '{path} is needed where the billing mode is {mode}.',
    'Поле {path} обязательно при способе расчётов {mode}.',
  ],
  [
    '{path} must be less than ledger_rub: as large as that, it would pass any replay.',
    'Поле {path} должно быть меньше ledger_rub: такой допуск пропустил бы любое расхождение.',
  ],
  [
    '{path} does not explain that the traces differ by {count}, and nothing is counted twice.',
    'Поле {path}: следы расходятся на {count}, это не объяснено, а двойных записей нет.',
  ],
  [
    '{path} make usage that costs more than {max} rubles a month.',
    'Поле {path}: при таких величинах расход дороже {max} ₽ в месяц.',
  ],
  [
    '{path} is needed while fewer than {count} live requests were recorded in {days} days.',
    'Поле {path} обязательно, пока за {days|день|дня|дней} записано меньше {count|живого ' +
      'запроса|живых запросов|живых запросов}.',
  ],
  [
    '{path} is missing: the pack, which may be an empty list.',
    'Поле {path} обязательно: это набор, хотя бы пустой список.',
  ],
  [
    '{path} has failed, so no answer was accepted or not.',
    'Поле {path}: запрос не удался, принимать или отклонять было нечего.',
  ],
  [
    '{path} never answers where when_none_passes is REFUSE.',
    'Поле {path}: при when_none_passes = REFUSE эта модель никогда не ответит.',
  ],
  [
    '{path} holds nothing without margin_basis_points_min.',
    'Без margin_basis_points_min поле {path} ничего не значит.',
  ],
  [
    "{path} must not begin with gw:, as the gateway's own do.",
    'Поле {path}: с gw: начинаются имена самого шлюза.',
  ],
  [
    '{path} names a model that is served here; only shadowsModel lets an alias stand for it, ' +
      'and without an alias {name} works as it is.',
    'Поле {path}: такая модель здесь есть, заменить её псевдонимом можно только с ' +
      'shadowsModel; без псевдонима {name} работает и так.',
  ],
  [
    '{path} is one more than the {max} that an organization may have.',
    'Поле {path}: в организации их не может быть больше {max}.',
  ],
  [
    '{path} is a receipt of the kind {kind}; evaluations are sealed in {kinds}.',
    'Поле {path}: это квитанция вида {kind}, а оценки запечатывают в {kinds}.',
  ],
  [
    '{path} must not be NOMINAL, which follows from the catalogue alone.',
    'Поле {path}: NOMINAL следует только из каталога, указать его нельзя.',
  ],
  [
    '{path} must be left out: only the source EVALUATION rests on a receipt.',
    'Поле {path} не указывают: на квитанцию опирается только источник EVALUATION.',
  ],
  [
    '{path} names {name}, whose answers are simulated: they prove no quality.',
    'Поле {path}: ответы {name} имитируются и о качестве не говорят.',
  ],
  [
    '{path} is rolled back: set its kill switch otherwise first.',
    'Поле {path}: договор откачен; сначала переведите его выключатель в другое состояние.',
  ],
  [
    '{path} cannot stand beside newContractKey: one of them is supposed.',
    'Поле {path} нельзя указать вместе с newContractKey: предполагается что-то одно.',
  ],
  ['{path} must be the name of the organization.', 'Поле {path}: укажите название организации.'],
  [
    '{path} is that of a blueprint of this server: {name}.',
    'Поле {path}: так называется шаблон этого сервера, {name}.',
  ],
];
