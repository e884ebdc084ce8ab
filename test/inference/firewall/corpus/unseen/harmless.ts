import { Dice } from '../values.js';
import { between } from './forms.js';
import { REGISTERS } from './registers.js';

/**
 * Business texts in which nothing may be found. `{d5}` are five digits, `{p}` is a number of goods
 * that looks like a telephone, `{t}` a time, `{u}` a UUID, `{v}` a version, `{m}` a sum of money,
 * `{w}` a street, `{c}` a town.
 */
const FRAMES: readonly string[] = [
  'заказ № {d9} собран и ждёт курьера',
  'по заказу {p} прошу вернуть деньги на баланс',
  'артикул {p}, размер 42, цвет синий',
  'деталь {d5}-{d4}-{d2} снята с производства',
  'каталожный номер {d3}.{d4}.{d3}, аналог {d3}.{d4}.{d3}',
  'трек-номер {d14} не отслеживается',
  'накладная {d8} от {t}',
  'счёт-фактура № {d6} подписана {t}',
  'договор {d3}/{d4}-ПК продлён до конца года',
  'обновили сервис до {v}, откатили на {v}',
  'id {u} не найден, попробуйте {u}',
  'span {u} took {d3} ms, {d4} rows',
  'сумма {m}, скидка {d2} %, итого {m}',
  'выручка за квартал {m}, план {m}',
  'встреча {t} в переговорной {d3}',
  'релиз назначен на {t}, тест до {t}',
  'совещание прошло на улице {w}, было шумно',
  'наш новый магазин откроется на улице {w}',
  'снегопад: движение по улице {w} закрыто',
  'улица {w} названа в честь космонавта',
  'едем в город {c} на выставку, вернёмся {t}',
  'в городе {c} открылся второй склад',
  'филиал в {c} вырос на {d2} процентов',
  'дом {d2} достроят к осени, корпус {d1} сдан',
  'квартира нам не подошла, ищем дом за городом',
  'в доме {d2} этажей, в подъезде {d1} лифта',
  'собака лает, точка на карте не двигается',
  'моя собака съела отчёт. Точка.',
  'собака друг человека, точка зрения не изменилась',
  'точка продаж и точка безубыточности это разное',
  'купили корм, собака довольна, точка',
  'гуляли с собакой у дома, поставили точку в споре',
  'class A { @Input() name; @Output() change; }',
  '@media (max-width: {d3}px) { .menu { display: none } }',
  '@import url("theme.css"); @font-face { src: local(x) }',
  'npm i @angular/core@{v} @types/node@{v}',
  'from @nestjs/common import nothing, see @babel/preset-env',
  '@Override public String toString() { return null; }',
  '@app.get("/items/{d2}") async def read(): pass',
  'SELECT @total := {d3}; SET @row = {d1};',
  'uses: actions/checkout@{v} with: fetch-depth: {d1}',
  'docker pull registry.local/team/app@sha256:abcdef',
  'meet @ {d1} pm in room {d3}',
  'цена {d2} руб @ {d2} шт',
  'коммит упоминает @todo и @deprecated',
  'пароль должен быть не короче {d2} символов',
  'забыл пароль, вышлите ссылку для сброса',
  'токен истёк через {d2} минут, обновите его',
  'password: required, minimum {d1} characters',
  'пароль: не менее {d1} символов, буквы и цифры',
  'введите логин и пароль на странице входа',
  'токенов потрачено {d5}, осталось {d6}',
  'max_tokens={d4}, temperature=0.{d1}',
  'secret santa пройдёт {t}, бюджет {m}',
  'ключевой показатель {d2},{d1} против {d2},{d1}',
  'ключ шифрования меняем раз в {d2} дней',
  'pass rate {d2} %, fail rate {d1} %',
  'password reset took {d3} ms on node {d2}',
  'телеграм не грузится второй день',
  'напиши пост для телеграма про релиз {v}',
  'сделай рассылку в телеграм и вк, дедлайн {t}',
  'канал в телеграме растёт, +{d3} подписчиков',
  'скайп больше не поддерживается, переходим на звонки в браузере',
  'whatsapp API отвечает {d3}, лимит {d4}',
  'бот в телеграме отвечает за {d3} мс',
  'подключить telegram к CRM до {t}',
  'паспорт изделия № {d6} приложен',
  'паспорт прибора {d2}-{d4}, поверка {t}',
  'паспорт качества {d4} {d6} на партию',
  'серия {d4} выпускается с {t}',
  'серия из {d1} статей, номер {d3} уже вышел',
  'номер {d3}-{d3} в каталоге запчастей',
  'ГОСТ {d5}-2019, ТУ {d4}-{d3}-{d8}',
  'кадастровый номер 50:{d2}:{d7}:{d3}',
  'температура {d2}.{d1}, давление {d3}, влажность {d2}',
  'координаты 55.{d6}, 37.{d6}',
  'ip 10.{d2}.{d2}.{d1}, порт {d4}, mac 00:1B:44:11:3A:B7',
  'строка {d4}: ошибка {d3}, файл app_{d6}.log',
  'commit 9f86d081884c7d659a2feaa0c55ad015, ветка fix-{d4}',
  'партия {p}, годна до {t}, ячейка {d2}-{d2}',
  'серийный номер {p}, гарантия {d2} мес.',
  'штрихкод 46{d11}, остаток {d2} шт.',
  'КБК 182{d9}{d8}, период 2025',
  'рейс SU {d4}, вылет {t}, место {d2}А',
  'поезд {d3}, вагон {d2}, место {d2}',
  'автобус {d3} идёт каждые {d2} минут',
  'склад {d2}, ряд {d2}, полка {d1}',
  'смета {d2}-{d2}-{d3}, лист {d1}, редакция {d1}',
  'чек {d5}, смена {d3}, касса {d2}',
  'адрес сервера в настройках, порт {d4}',
  'адрес переменной 0x7ffe{d4}, сегмент {d2}',
  'адресная книга на {d4} записей выгружена',
  'офис переехал, новый адрес пришлём позже',
  'индекс потребительских цен {d3},{d1} в марте',
  'индекс массива {d2}, длина {d3}',
  'область применения: кредиты до {m}',
  'карта проезда на сайте, {d2} минут пешком',
  'карта лояльности {d6}, баллов {d3}',
  'полис КАСКО {d3} оформлен {t}',
  'день рождения компании {t}, {d2} лет на рынке',
  'родился новый проект {t}',
  'Иван утвердил макет, Ольга согласовала {t}',
  'по словам директора, рост {d2} % за год',
  'тест в 2 потока: {d5} запросов, {d4} ошибок',
  'unix time 17{d8}, offset {d5}',
  'версия ядра {v}, сборка {d5}',
  'see RFC {d4}, section {d1}.{d1}',
  'invoice {d7} due in {d2} days, total {m}',
  'ticket {d6} closed by bot at {t}',
];

const STREETS = ['Чайковского', 'Лермонтова', 'Мира', 'Титова', 'Кутузова', 'Парковой'];
const TOWNS = ['Рязань', 'Курск', 'Вологда', 'Томск', 'Барнаул', 'Мурманск'];

const digits = (dice: Dice, count: number) => `${between(dice, 1, 9)}${dice.digits(count - 1)}`;
const two = (number: number) => String(number).padStart(2, '0');

const SLOTS: Readonly<Record<string, (dice: Dice) => string>> = {
  p: (dice) => `${dice.pick(['79', '89', '84', '78'])}${dice.digits(9)}`,
  t: (dice) =>
    dice.pick([
      `${two(between(dice, 1, 28))}.${two(between(dice, 1, 12))}.2025`,
      `${between(dice, 9, 18)}:${dice.pick(['00', '15', '30', '45'])}`,
      `2025-${two(between(dice, 1, 12))}-${two(between(dice, 1, 28))}`,
    ]),
  u: (dice) =>
    [8, 4, 4, 4, 12]
      .map((size) => Array.from({ length: size }, () => dice.roll(16).toString(16)).join(''))
      .join('-'),
  v: (dice) => `${dice.roll(20)}.${dice.roll(30)}.${dice.roll(10)}`,
  m: (dice) =>
    dice.pick([
      `${digits(dice, 3)} ${dice.digits(3)} руб.`,
      `${digits(dice, 2)} ${dice.digits(3)},50 ₽`,
      `${digits(dice, 1)} ${dice.digits(3)} ${dice.digits(3)} рублей`,
      `${digits(dice, 2)} млн руб.`,
    ]),
  w: (dice) => dice.pick(STREETS),
  c: (dice) => dice.pick(TOWNS),
};

function filled(frame: string, dice: Dice): string {
  return frame.replace(/\{(?:d(\d+)|([a-z]))\}/g, (_, count?: string, slot?: string) =>
    count ? digits(dice, Number(count)) : (SLOTS[slot ?? '']?.(dice) ?? ''),
  );
}

/** Each frame `times` times, each time in the next register. */
export function harmlessTexts(times: number, seed: number): string[] {
  const dice = new Dice(seed);
  const registers = Object.values(REGISTERS);
  return FRAMES.flatMap((frame, at) =>
    Array.from({ length: times }, (_each, time) => {
      const register = registers[(at + time) % registers.length];
      const text = filled(frame, dice);
      return register ? dice.pick(register.before) + text + dice.pick(register.behind) : text;
    }),
  );
}
