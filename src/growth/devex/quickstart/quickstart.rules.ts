import type { Fault } from '../../../kernel/errors/fail.js';
import { fault } from '../../../kernel/errors/faults.js';
import { nearestNames } from '../../../kernel/near-names.js';
import { MACHINE_DOCUMENTS } from '../documents.js';
import { STACKS } from '../vocabulary.js';
import { ACCOUNT_STEPS, addressLine } from './account-steps.js';
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

/** The way to the first answer in a stack, at an address. */
export function quickstartOf(stack: Stack, address: string): Quickstart {
  const baseUrl = printable(address);
  const { code, description, language, file, check } = stack;
  return {
    stack: code,
    description,
    language,
    baseUrl,
    sdkBaseUrl: `${baseUrl}/v1`,
    file,
    snippet: snippetOf(code, baseUrl),
    check,
    steps: stepsOf(stack, baseUrl).map((step, index) => ({ number: index + 1, ...step })),
    agentDocs: [
      { path: `/docs/quickstart/${code}.md`, name: 'This quickstart', about: 'The same as text.' },
      ...MACHINE_DOCUMENTS,
    ].map(({ path, name, about }) => ({ name, url: baseUrl + path, about })),
  };
}

function stepsOf({ file, install, run }: Stack, baseUrl: string) {
  const step = (title: string, note: string | null, command: string | null) => ({
    title,
    note,
    command,
  });
  return [
    step('Say where the gateway is.', null, addressLine(baseUrl)),
    ...ACCOUNT_STEPS.map(({ title, note, command }) => step(title, note, command)),
    step('Hand the key to your code.', 'Keep it out of the code.', 'export GW_API_KEY="$KEY"'),
    step('Get what the snippet needs.', null, install),
    step(`Save the snippet as ${file}, and run it.`, null, run),
    step(
      'Read the receipts of the answer.',
      'gw_routing says which model was chosen and why, gw_slo how long it took, gw_firewall what ' +
        'was found; GET /usage and GET /billing/ledger show what it cost.',
      null,
    ),
  ];
}
