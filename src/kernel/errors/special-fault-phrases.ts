import type { Phrase } from '../language/phrases.js';

/** Faults that a few modules say, in Russian: of names, models, addresses, lists and pairs. */
export const SPECIAL_FAULT_PHRASES: readonly Phrase[] = [
  ['{path} must be a list.', 'Поле {path} должно быть списком.'],
  [
    '{path} must be a text of 1 to {max} characters.',
    'Поле {path}: нужна строка от 1 до {max|символа|символов|символов}.',
  ],
  [
    '{path} must have 1 to {max} characters and no spaces around them.',
    'Поле {path}: от 1 до {max|символа|символов|символов}, без пробелов по краям.',
  ],
  [
    '{path} must not begin or end with spaces.',
    'Поле {path} не должно начинаться или заканчиваться пробелом.',
  ],
  [
    '{path} must have printable characters and single spaces inside.',
    'Поле {path}: допустимы печатные символы и одиночные пробелы между ними.',
  ],
  [
    '{path} must be lower-case letters, digits, - and _.',
    'Поле {path}: допустимы строчные латинские буквы, цифры, - и _.',
  ],
  [
    '{path} must be lower-case letters and digits, joined by single dots, dashes or _.',
    'Поле {path}: строчные латинские буквы и цифры, между ними — одиночные точки, дефисы или _.',
  ],
  [
    '{path} must be letters, digits and . _ / -, not beginning with a mark.',
    'Поле {path}: латинские буквы, цифры и . _ / -, первым — буква или цифра.',
  ],
  [
    '{path} must be letters, digits and _, not beginning with a digit, at most {max}.',
    'Поле {path}: латинские буквы, цифры и _, первой — не цифра, всего не больше {max}.',
  ],
  [
    '{path} has letters, digits, dots, colons, dashes and underscores, a letter or digit first.',
    'Поле {path}: буквы, цифры, точки, двоеточия, дефисы и подчёркивания; первой — буква или ' +
      'цифра.',
  ],
  [
    '{path} must have letters, digits, dots, underscores and hyphens, and begin with a letter or ' +
      'digit.',
    'Поле {path}: буквы, цифры, точки, подчёркивания и дефисы; первой — буква или цифра.',
  ],
  [
    '{path} takes letters, digits, ".", "_" and "-" alone.',
    'Поле {path}: допустимы только буквы, цифры, точка, «_» и «-».',
  ],
  ['{path} must begin with https://.', 'Поле {path}: адрес должен начинаться с https://.'],
  [
    '{path} must begin with https:// or http://.',
    'Поле {path}: адрес должен начинаться с https:// или http://.',
  ],
  [
    '{path} must name a host of the public internet.',
    'Поле {path}: нужен узел, доступный из интернета.',
  ],
  [
    '{path} must not hold a user name or a password.',
    'Поле {path}: в адресе не должно быть имени пользователя и пароля.',
  ],
  ['{path} must not have a fragment.', 'Поле {path}: в адресе не должно быть части после #.'],
  [
    '{path} must be an https address of a host, without credentials.',
    'Поле {path}: укажите адрес https без имени и пароля.',
  ],
  ['{path} must be named once.', 'Поле {path}: укажите это один раз.'],
  ['{path} must name each type once.', 'Поле {path}: каждый тип укажите один раз.'],
  ['{path} must name each action once.', 'Поле {path}: каждое действие укажите один раз.'],
  ['{path} must name at least one type.', 'Поле {path}: укажите хотя бы один тип.'],
  ['{path} must name at least one model.', 'Поле {path}: укажите хотя бы одну модель.'],
  ['{path} is {name} a second time.', 'Поле {path}: {name} уже указано.'],
  ['{path} names {name} a second time.', 'Поле {path}: {name} уже указано.'],
  [
    '{path} names {model}, which no model is called; see GET /v1/models.',
    'Поле {path}: модели {model} нет; список моделей — в GET /v1/models.',
  ],
  [
    '{path} names {model}, which no model is called; did you mean {near}?',
    'Поле {path}: модели {model} нет; возможно, вы имели в виду {near}?',
  ],
  [
    '{path} names {model}, whose provider is not set up on this server.',
    'Поле {path}: провайдер модели {model} на этом сервере не подключён.',
  ],
  [
    '{path} is no model that can be called; did you mean {near}?',
    'Поле {path}: такой модели нет; возможно, вы имели в виду {near}?',
  ],
  ['{path} is no model that can be called.', 'Поле {path}: такой модели нет.'],
  [
    '{path} names a route policy that is not published.',
    'Поле {path}: такая политика маршрутов не опубликована.',
  ],
  [
    '{path} names a route policy that your organization does not have.',
    'Поле {path}: такой политики маршрутов в вашей организации нет.',
  ],
  [
    '{path} must be another name than the alias.',
    'Поле {path}: имя должно отличаться от псевдонима.',
  ],
  [
    '{path} must be one of the allowed models.',
    'Поле {path}: модель должна быть среди разрешённых.',
  ],
  ['{path} is needed for the source {name}.', 'При источнике {name} нужно поле {path}.'],
  ['{path} is needed in the state {name}.', 'В состоянии {name} нужно поле {path}.'],
  ['{path} is needed in the mode {name}.', 'В режиме {name} нужно поле {path}.'],
  ['{path} goes with {name} alone.', 'Поле {path} допустимо только вместе с {name}.'],
  ['{path} is not the password of the member.', 'Поле {path}: это не пароль участника.'],
  ['{path} is the member who asks.', 'Поле {path}: это сам участник, который просит.'],
  ['{path} is the present password.', 'Поле {path}: это и есть нынешний пароль.'],
  [
    '{path} is the last owner: the organization keeps one.',
    'Это последний владелец ({path}): в организации всегда остаётся хотя бы один.',
  ],
  [
    '{path} is {name}, which another project has.',
    'Поле {path}: имя {name} уже занято другим проектом.',
  ],
  ['{path} has at most two decimal places.', 'Поле {path}: не больше двух знаков после точки.'],
  ['{path} has at most four places.', 'Поле {path}: не больше четырёх знаков после точки.'],
  [
    '{path} must be in percent of the cap, from 1 to 100; did you mean {near}?',
    'Поле {path}: укажите процент от предела, от 1 до 100; возможно, вы имели в виду {near}?',
  ],
  [
    '{path} must be in percent of the cap, from 1 to 100.',
    'Поле {path}: укажите процент от предела, от 1 до 100.',
  ],
  [
    '{path} must be an INN of 10 or 12 digits with its checksum.',
    'Поле {path}: укажите ИНН из 10 или 12 цифр с верной контрольной суммой.',
  ],
  [
    '{path} must be a domain, such as example.ru.',
    'Поле {path}: укажите домен, например example.ru.',
  ],
  [
    '{path} must be a domain of the public internet.',
    'Поле {path}: нужен домен, доступный из интернета.',
  ],
  [
    '{path} must be a domain of one owner, not a public suffix.',
    'Поле {path}: нужен домен одного владельца, а не общая зона.',
  ],
  [
    '{path} must not look like another domain.',
    'Поле {path}: домен не должен быть похож на другой.',
  ],
  ['{path} must have a letter or digit.', 'Поле {path}: нужна хотя бы одна буква или цифра.'],
  ['{path} must have exactly one of {names}.', 'Поле {path}: нужно ровно одно из {names}.'],
  ['{path} must have at least one character.', 'Поле {path}: нужен хотя бы один символ.'],
  [
    '{path} must be random letters, digits, - and _.',
    'Поле {path}: случайные буквы, цифры, - и _.',
  ],
  [
    '{path} is not the hash of what is shown; read it again.',
    'Поле {path}: это не хеш того, что показано; прочитайте заново.',
  ],
  [
    '{path} must be an object with wait_seconds.',
    'Поле {path} должно быть объектом с wait_seconds.',
  ],
  ['{path} must be an object with key.', 'Поле {path} должно быть объектом с key.'],
  ['{path} cannot stand beside content.', 'Поле {path} нельзя указать вместе с content.'],
  ['{path} has neither a letter nor a digit.', 'Поле {path}: нужна хотя бы одна буква или цифра.'],
  [
    '{path} needs at least one word or pattern.',
    'Поле {path}: нужно хотя бы одно слово или шаблон.',
  ],
];

/** Faults of evaluations, caps for each, stated classes and terms of the router, in Russian. */
export const EVALUATION_FAULT_PHRASES: readonly Phrase[] = [
  ['{path} goes with an end of the key.', 'Поле {path} указывают вместе с окончанием ключа.'],
  [
    '{path} asks what an earlier item asks.',
    'Поле {path}: такой же вопрос уже есть в более раннем элементе.',
  ],
  [
    '{path} cannot be rendered: the cases up to it took longer than {max} ms.',
    'Поле {path}: шаблон не удалось заполнить, случаи до этого заняли больше {max} мс.',
  ],
  ['{path} cannot be rendered: {name}.', 'Поле {path}: шаблон не удалось заполнить («{name}»).'],
  [
    '{path} must make at most {max} requests with {count} cases.',
    'Поле {path}: не больше {max} запросов, случаев: {count}.',
  ],
  ['{path} is for the mode ASSURED alone.', 'Поле {path} подходит только режиму «ASSURED».'],
  ['{path} is for {name}.', 'Поле {path} относится к другому («{name}»).'],
  [
    '{path} is not for a budget with the reference each.',
    'Поле {path} не подходит бюджету со ссылкой each.',
  ],
  [
    '{path} must be one or *: each is not replayed.',
    'Поле {path}: нужна одна ссылка или *, с each расчёт не повторить.',
  ],
  [
    '{path} is no model that can be called{meant}.',
    'Поле {path}: такой модели для вызова нет{meant}.',
  ],
  [
    '{path} is no model, alias or route policy{meant}.',
    'Поле {path}: нет такой модели, псевдонима или политики маршрута{meant}.',
  ],
  ['{path} is not read: send {name}.', 'Поле {path} не учитывается, передайте {name}.'],
  [
    '{path} stands twice in the body: give it once.',
    'Поле {path} указано в теле дважды: укажите его один раз.',
  ],
  [
    '{path} is the name of an earlier case.',
    'Поле {path}: такое название уже есть у более раннего случая.',
  ],
  ['{path} does not compile: {name}.', 'Поле {path}: схема не собирается («{name}»).'],
  [
    '{path} needs the expectedOutput of its case.',
    'Поле {path}: нужен expectedOutput этого случая.',
  ],
  ['{path} has no meaning beside json_path.', 'Поле {path} не имеет смысла вместе с json_path.'],
  [
    '{path} must be a path such as $.items[0].name.',
    'Поле {path}: нужен путь, например $.items[0].name.',
  ],
  [
    '{path} has path and json only beside json_path.',
    'Поле {path}: path и json указывают только вместе с json_path.',
  ],
  [
    '{path} must not be NEXT_BEST where when_none_passes is REFUSE.',
    'Поле {path}: нельзя NEXT_BEST, если when_none_passes равно REFUSE.',
  ],
];
