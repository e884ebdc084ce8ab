import type { Fault } from '../../../kernel/errors/fail.js';
import { fault } from '../../../kernel/errors/faults.js';
import type { Language } from '../../../kernel/language/languages.js';
import { nearestNames } from '../../../kernel/near-names.js';
import { documentsIn } from '../documents.js';
import { STACKS } from '../vocabulary.js';
import { accountSteps, addressLine } from './account-steps.js';
import { QUICKSTARTS } from './quickstart-texts.js';
import { printable, snippetOf } from './snippets.js';
import type { Quickstart } from './tables.js';

/** A stack by its code. */
type Stack = (typeof STACKS.rows)[number];

/** Every name of a stack, in lower case, with the stack that it means. */
const BY_NAME: ReadonlyMap<string, Stack> = new Map(
  STACKS.rows.flatMap((row) => [row.code, ...row.aliases].map((name) => [name, row] as const)),
);

/** The stack of a name, whatever its case and the spaces around it. */
export function stackOf(name: string): Stack | undefined {
  return BY_NAME.get(name.trim().toLowerCase());
}

/** The fault of a name that means no stack: it tells the known ones. */
export function unknownStack(path: string, name: string): Fault {
  const near = nearestNames(name.trim().toLowerCase(), BY_NAME.keys());
  const codes = [...new Set(near.flatMap((each) => BY_NAME.get(each)?.code ?? []))];
  const meant = codes.length > 0 ? `; did you mean ${codes.join(' or ')}?` : '';
  return fault(path, 'unknown_value', `must be one of ${STACKS.codes.join(', ')}${meant}`);
}

/** The way to the first answer in a stack, at an address, told in a language. */
export function quickstartOf(stack: Stack, address: string, told: Language): Quickstart {
  const baseUrl = printable(address);
  const { code, language, file, check } = stack;
  const { stacks, own } = QUICKSTARTS[told];
  return {
    stack: code,
    description: stacks[code],
    language,
    baseUrl,
    sdkBaseUrl: `${baseUrl}/v1`,
    file,
    snippet: snippetOf(code, baseUrl),
    check,
    steps: stepsOf(stack, baseUrl, told).map((step, index) => ({ number: index + 1, ...step })),
    agentDocs: [{ path: quickstartPath(code), ...own }, ...documentsIn(told)].map(
      ({ path, name, about }) => ({ name, url: baseUrl + path, about }),
    ),
  };
}

/** Where the quickstart of a stack is read as text. */
export function quickstartPath(code: Stack['code']): string {
  return `/docs/quickstart/${code}.md`;
}

function stepsOf({ file, install, run }: Stack, baseUrl: string, told: Language) {
  const texts = QUICKSTARTS[told];
  const step = (title: string, note: string | null, command: string | null) => ({
    title,
    note,
    command,
  });
  return [
    step(texts.address, null, addressLine(baseUrl)),
    ...accountSteps(told).map(({ title, note, command }) => step(title, note, command)),
    step(texts.hand, texts.handNote, 'export GW_API_KEY="$KEY"'),
    step(texts.install, null, install),
    step(texts.save(file), null, run),
    step(texts.receipts, texts.receiptsNote, null),
  ];
}
