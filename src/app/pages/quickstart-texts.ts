import { quickstartOf, stackOf } from '../../growth/devex/quickstart/quickstart.rules.js';
import { BASE_URL_PLACE } from '../../growth/devex/quickstart/snippets.js';
import { SNIPPET_CHECKS, STACKS } from '../../growth/devex/vocabulary.js';
import { fenced } from './markdown.js';

/** The list of all stacks, each with its page. */
export function quickstartListText(): string {
  return [
    '# Quickstarts',
    '',
    'The first request in each stack, with code that carries the address that you used.',
    '',
    ...STACKS.rows.map(
      ({ code, description }) =>
        `- [${code}](${BASE_URL_PLACE}/docs/quickstart/${code}.md): ${description}`,
    ),
    '',
    `Programs read them from \`GET ${BASE_URL_PLACE}/v1/gw/devex/quickstart?stack=<stack>\`.`,
    '',
  ].join('\n');
}

/** The quickstart of a stack as text, at an address; undefined for what is the code of none. */
export function quickstartText(code: string, baseUrl: string): string | undefined {
  const stack = STACKS.has(code) ? stackOf(code) : undefined;
  if (!stack) return undefined;
  const { description, language, snippet, steps, check, file, agentDocs } = quickstartOf(
    stack,
    baseUrl,
  );
  return [
    `# Quickstart: ${code}`,
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
    `${SNIPPET_CHECKS.find(check)?.description ?? ''}`,
    '',
    '## Read next',
    '',
    ...agentDocs.map(({ name, url, about }) => `- [${name}](${url}): ${about}`),
    '',
  ].join('\n');
}
