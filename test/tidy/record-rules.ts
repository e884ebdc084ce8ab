import { at, codeBelow, type SourceFile } from './files.js';
import { EDGES } from './import-rules.js';

/** What only `src/records` reads and writes: everybody else goes through its functions. */
const RECORDS = [
  'journalEntry',
  'sealedReceipt',
  'contractVersion',
  'approval',
  'feedEvent',
  'auditEvent',
];

/** Files that still write the label of measured figures by hand, or measure without records. */
const BY_HAND = new Set(['src/inference/policy-effect/schema.ts']);

const KERNEL = 'src/kernel/provenance.ts';
const MEASURED = 'src/records/measured.ts';
const LABEL = 'live_measured';

interface Reach {
  readonly file: SourceFile;
  readonly line: number;
  readonly what: string;
}

function reaches(): Reach[] {
  const call = /^(find|create|update|upsert|delete|count|groupBy|aggregate)/;
  return codeBelow('src')
    .filter(({ path }) => !path.startsWith('src/records/'))
    .flatMap((file) => [
      ...file.tokens.flatMap(({ kind, text: what, line }, index) => {
        const [before, dot, method] = [-1, 1, 2].map((step) => file.tokens[index + step]?.text);
        const isDelegate =
          kind === 'word' && RECORDS.includes(what) && /^\??\.$/.test(before ?? '');
        return isDelegate && dot === '.' && call.test(method ?? '') ? [{ file, line, what }] : [];
      }),
      ...file.tokens.flatMap(({ kind, text, line }) =>
        kind === 'text' ? tablesIn(text).map((what) => ({ file, line, what })) : [],
      ),
    ]);
}

/** The records that a statement reads or writes. */
function tablesIn(sql: string): string[] {
  return RECORDS.filter((model) => {
    const table = model.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    return new RegExp(`\\b(FROM|JOIN|INTO|UPDATE)\\s+"?${table}\\b`).test(sql);
  });
}

/** Reads and writes of records outside of `src/records`. */
export function recordsPastTheirRoom(): string[] {
  return reaches().map(({ file, line, what }) =>
    at(file, line, `reaches for ${what} past src/records`),
  );
}

/** Labels of measured figures that no rows stand behind. */
export function measuredByHand(): string[] {
  return byHand().filter((breach) => !BY_HAND.has(breach.split(':')[0] ?? ''));
}

function byHand(): string[] {
  const written = codeBelow('src')
    .filter(({ path }) => path !== KERNEL && path !== MEASURED)
    .flatMap((file) =>
      file.tokens.flatMap(({ kind, text, line }, index) => {
        const isCompared = /^[=!]==$/.test(file.tokens[index - 1]?.text ?? '');
        const isWritten = kind === 'text' && text === LABEL && !isCompared;
        return isWritten ? [at(file, line, `writes ${LABEL} by hand`)] : [];
      }),
    );
  const taken = EDGES.filter(
    ({ from, to, names }) =>
      to === KERNEL &&
      names.includes('measured') &&
      from.path.startsWith('src/') &&
      from.path !== MEASURED,
  ).map(({ from, line }) => at(from, line, `measures without ${MEASURED}`));
  return [...written, ...taken];
}

/** Exceptions that are not needed any more. */
export function staleRecordExceptions(): string[] {
  const breaches = byHand();
  return [...BY_HAND].filter((path) => !breaches.some((one) => one.startsWith(`${path}:`)));
}
