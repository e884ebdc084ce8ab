import {
  quickstartOf,
  quickstartPath,
  stackOf,
} from '../../growth/devex/quickstart/quickstart.rules.js';
import { QUICKSTARTS } from '../../growth/devex/quickstart/quickstart-texts.js';
import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { STACKS } from '../../growth/devex/vocabulary.js';
import type { InLanguages } from '../../kernel/language/languages.js';
import { documentLines } from './document-lines.js';
import { fenced } from './markdown.js';
import { placedLink, type Reading } from './reading.js';

interface QuickstartPageTexts {
  readonly title: string;
  readonly idea: string;
  readonly forPrograms: string;
  readonly heading: (code: string) => string;
  readonly next: string;
}

/** What the quickstarts say as text around what they answer to programs. */
const TEXTS: InLanguages<QuickstartPageTexts> = {
  en: {
    title: 'Quickstarts',
    idea: 'The first request in each stack, with code that carries the address that you used.',
    forPrograms: 'Programs read them from',
    heading: (code) => `Quickstart: ${code}`,
    next: 'Read next',
  },
  ru: {
    title: 'Быстрый старт',
    idea:
      'Первый запрос на каждом языке и платформе; в коде уже стоит адрес, по которому вы ' +
      'пришли.',
    forPrograms: 'Программы читают то же самое через',
    heading: (code) => `Быстрый старт: ${code}`,
    next: 'Что читать дальше',
  },
};

/** The list of all stacks, each with its page. */
export function quickstartListText(reading: Reading): string {
  const { title, idea, forPrograms } = TEXTS[reading.language];
  const { stacks } = QUICKSTARTS[reading.language];
  return [
    `# ${title}`,
    '',
    idea,
    '',
    ...STACKS.codes.map(
      (code) => `- [${code}](${placedLink(reading, quickstartPath(code))}): ${stacks[code]}`,
    ),
    '',
    `${forPrograms} \`GET ${BASE_URL_PLACE}/v1/gw/devex/quickstart?stack=<stack>\`.`,
    '',
  ].join('\n');
}

/** The quickstart of a stack as text, at an address; undefined for what is the code of none. */
export function quickstartText(
  code: string,
  baseUrl: string,
  reading: Reading,
): string | undefined {
  const stack = STACKS.has(code) ? stackOf(code) : undefined;
  if (!stack) return undefined;
  const texts = TEXTS[reading.language];
  const { checks } = QUICKSTARTS[reading.language];
  const found = quickstartOf(stack, baseUrl, reading.language);
  const { description, language, snippet, steps, check, file } = found;
  return [
    `# ${texts.heading(code)}`,
    '',
    description,
    '',
    ...steps.flatMap(({ number, title, note, command }) => [
      `${number}. ${title}${note === null ? '' : ` ${note}`}`,
      ...(command === null ? [] : ['', ...fenced('sh', command)]),
      '',
    ]),
    `## ${file}`,
    '',
    ...fenced(language === 'shell' ? 'sh' : language, snippet),
    '',
    checks[check],
    '',
    `## ${texts.next}`,
    '',
    ...documentLines(quickstartPath(stack.code), reading),
    '',
  ].join('\n');
}
