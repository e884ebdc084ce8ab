import type { Dice } from '../values.js';
import type { Mention } from './mentions.js';

/** What stands around a mention, and what stands between its label and its value. */
export interface Register {
  readonly before: readonly string[];
  readonly behind: readonly string[];
  readonly glue: readonly string[];
  /** How the words of the mention are changed. Values keep their case: some depend on it. */
  readonly words?: (words: string, dice: Dice) => string;
  /** How the spaces of the value are changed. */
  readonly value?: (value: string, dice: Dice) => string;
}

const widened = (text: string, dice: Dice) =>
  text.replaceAll(' ', () => dice.pick([' ', ' ', ' ', '  ']));
const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The ways in which people and programs write to a model. */
export const REGISTERS: Readonly<Record<string, Register>> = {
  chat: {
    before: ['привет! ', '', 'смотри ', 'ну вот ', 'да, ', 'короче, ', 'ок, '],
    behind: ['', ' спасибо', ' жду', ')', ' , глянь плиз', '!', ' если что'],
    glue: [': ', ' ', ' - ', ' вот ', ' такой '],
  },
  email: {
    before: ['Добрый день!\n\n', 'Коллеги, здравствуйте.\n', 'Уважаемые партнёры,\n\n'],
    behind: [
      '.\n\nС уважением,\nотдел продаж',
      '.\nПрошу подтвердить получение.',
      '. Заранее спасибо!',
    ],
    glue: [': ', ' ', ' — ', ' - '],
    words: capital,
  },
  ticket: {
    before: ['Тема: не проходит оплата\nОписание: ', '[Обращение] ', 'Приоритет: высокий. '],
    behind: ['\nСтатус: открыт', '. Прошу решить до вечера', '\n--\nотправлено с сайта'],
    glue: [': ', ' ', ' = '],
  },
  log: {
    before: ['2025-03-11T10:22:31Z INFO crm note="', '[10:22:31] WARN form: ', 'DEBUG payload '],
    behind: ['" status=saved', '; retry later', ' (0.12 s)'],
    glue: ['=', ': ', ' '],
  },
  json: {
    before: ['{"comment":"', '{"status":"new","text":"', '{"messages":["'],
    behind: ['"}', ' просьба проверить"}', '"]}'],
    glue: [': ', ' ', ' - '],
  },
  call: {
    before: [
      'Оператор: слушаю вас.\nКлиент: ',
      'Клиент: записывайте, ',
      'Менеджер: диктуйте.\nКлиент: ',
    ],
    behind: ['.\nОператор: записала.', ', верно.\nОператор: спасибо.', '\nОператор: повторите'],
    glue: [' ', ', ', ' — '],
  },
  voice: {
    before: ['так записывайте ', 'да здравствуйте ', 'ага сейчас ', 'значит '],
    behind: [' всё верно', ' жду вас', ' да', ''],
    glue: [' ', ' вот ', ' это '],
    words: (words) => words.toLowerCase().replace(/[.:,]/g, ''),
  },
  ocr: {
    before: ['АНКЕТА  КЛИЕНТА\n', 'стр. 2\n', 'Форма № 4\n\n', 'ЗАЯВЛЕНИЕ .\n'],
    behind: ['\n\nподпись', ' .\nдата', '\nМ.П.'],
    glue: [' : ', ':', '  ', ':\n', ' . '],
    words: widened,
    value: widened,
  },
  capitals: {
    before: ['СРОЧНО! ', 'ВНИМАНИЕ. ', 'ЗАЯВКА\n'],
    behind: ['!', ' СРОЧНО', '. ЖДУ ОТВЕТА'],
    glue: [': ', ' ', ' - '],
    words: (words) => words.toUpperCase(),
  },
  table: {
    before: ['Поле | Значение\n', '| ', '№ п/п\tЗначение\n1\t'],
    behind: [' |', '\n', '\tпроверено'],
    glue: [' | ', '\t', ': '],
  },
  form: {
    before: ['1. Цель обращения: консультация\n2. ', '- ', '* '],
    behind: [';\n3. Согласие: да', '\n- согласие получено', ''],
    glue: [': ', ' ', ' - ', ':\n'],
    words: capital,
  },
  english: {
    before: ['Hi team, ', 'Customer says: ', 'FYI - ', 'Please update the record, '],
    behind: ['. Thanks!', ' as discussed', ', please confirm', ''],
    glue: [': ', ' ', ' is ', ' - '],
  },
};

const ALIKE: Readonly<Record<string, string>> = { а: 'a', о: 'o', е: 'e', с: 'c', р: 'p', х: 'x' };

/** A slip of the finger in the longest word: a letter twice, left out or in the wrong place. */
function mistyped(words: string, dice: Dice): string {
  const longest = words.split(/[^а-яёa-z]+/i).sort((left, right) => right.length - left.length)[0];
  if (!longest || longest.length < 6) return words;
  const at = 2 + dice.roll(longest.length - 4);
  const [head, one, two, tail] = [
    longest.slice(0, at),
    longest.charAt(at),
    longest.charAt(at + 1),
    longest.slice(at + 2),
  ];
  const slip = dice.pick([
    head + one + one + two + tail,
    head + two + tail,
    head + two + one + tail,
  ]);
  return words.replace(longest, slip);
}

/** Latin letters in a Russian word, as forms and OCR bring them. */
function mixedLetters(words: string, dice: Dice): string {
  const alike = dice.pick(Object.keys(ALIKE));
  return words.replaceAll(alike, ALIKE[alike] ?? alike);
}

/** The words of a mention as its register writes them, with the slips that people make. */
function written(words: string, register: Register, dice: Dice): string {
  const plain = register.words?.(words, dice) ?? words;
  const slip = dice.roll(100);
  if (slip < 5) return mistyped(plain, dice);
  return slip < 9 ? mixedLetters(plain, dice) : plain;
}

/** A text with a mention in it, and where the value stands. */
export function textOf(mention: Mention, register: Register, dice: Dice) {
  const value = register.value?.(mention.value, dice) ?? mention.value;
  const label = mention.label && written(mention.label, register, dice);
  const lead = dice.pick(register.before) + (label ? label + dice.pick(register.glue) : '');
  const behind = mention.behind ? ` ${written(mention.behind, register, dice)}` : '';
  const text = lead + value + behind + dice.pick(register.behind);
  return { text, start: lead.length, end: lead.length + value.length };
}
