// Verifies an export of the audit trail without a server, a network or a package:
//   node tools/verify-audit-export.mjs trail.ndjson [more.ndjson …]
// Files are NDJSON or CEF, in the order of the chain. Each line must hash to its own chain_hash,
// name that of the line before, and stand at the next position; nothing stands in a line that its
// hash does not cover. A file cannot show that its begin or its end was cut off, or that its last
// line was written anew. Who has kept a chain hash says so:
//   --after=HASH   the first line must follow the line of this chain hash
//   --after=none   the first line must be the first of the organization
//   --last=HASH    the last line must have this chain hash
// Ends with 0 when everything holds; else it names each line that does not, and ends with 1.
// Files are read line by line, however long they are.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const CEF = {
  externalId: 'id',
  act: 'action',
  suid: 'actor_id',
  gwActorKind: 'actor_kind',
  gwTenantId: 'tenant_id',
  gwPosition: 'position',
  gwSubject: 'subject',
  gwSubjectId: 'subject_id',
  gwBeforeHash: 'before_hash',
  gwAfterHash: 'after_hash',
  gwRequestId: 'request_id',
  gwPreviousHash: 'previous_hash',
  gwChainHash: 'chain_hash',
};

/** The event of a CEF line: members that are absent are null. */
function fromCef(line) {
  const header = /^CEF:0\|(?:(?:\\.|[^\\|])*\|){6}/.exec(line)?.[0];
  if (header === undefined) throw new Error('is no line of CEF');
  const event = { before_hash: null, after_hash: null, previous_hash: null };
  const pairs = line.slice(header.length).matchAll(/(\w+)=((?:\\.|[^\\=])*?)(?= \w+=|$)/gs);
  for (const [, key, value] of pairs) {
    const text = value.replace(/\\(.)/g, (_, mark) => ({ n: '\n', r: '\r' })[mark] ?? mark);
    if (key === 'rt') event.created_at = new Date(Number(text)).toISOString();
    else if (key === 'gwPosition') event.position = Number(text);
    else if (CEF[key]) event[CEF[key]] = text;
  }
  return event;
}

/** An event as the gateway writes it. */
function cefLine(event) {
  const escaped = (text, special) =>
    text.replace(special, '\\$&').replaceAll('\r', '\\r').replaceAll('\n', '\\n');
  const name = escaped(String(event.action), /[\\|]/g);
  const parts = Object.entries(CEF).flatMap(([key, member]) =>
    event[member] == null ? [] : [`${key}=${escaped(String(event[member]), /[\\=]/g)}`],
  );
  const time = `rt=${Date.parse(event.created_at)}`;
  return `CEF:0|LLM gateway|audit trail|1|${name}|${name}|3|${[time, ...parts].join(' ')}`;
}

/** A line of JSON has every name once: readers differ in which of two counts. */
function hasNamesOnce(line, event) {
  const names = [...line.matchAll(/"(?:\\.|[^"\\])*"(\s*:)?/g)].filter(([, colon]) => colon);
  return names.length === Object.keys(event).length;
}

/** An event with what its hash does not cover: what else its line says, or says twice. */
function read(line) {
  const isCef = line.startsWith('CEF:');
  const event = isCef ? fromCef(line) : JSON.parse(line);
  const isPlain = isCef ? cefLine(event) === line : hasNamesOnce(line, event);
  return { event, odd: isPlain ? [] : ['is not written as it was exported: it was changed'] };
}

/** RFC 8785 of a flat object of texts, whole numbers and null: names in order, no blanks. */
function canonical(event) {
  const names = Object.keys(event).sort();
  const members = names.map((name) => `${JSON.stringify(name)}:${JSON.stringify(event[name])}`);
  return `{${members.join(',')}}`;
}

/** What is wrong with a line that follows another one. */
function faultsOf({ chain_hash: stated, ...event }, before) {
  const hash = createHash('sha256').update(canonical(event), 'utf8').digest('hex');
  const faults = [];
  if (hash !== stated) faults.push('does not hash to its chain_hash: it was changed');
  if (!before) return faults;
  if (event.tenant_id !== before.tenant_id) faults.push('is of another organization');
  if (event.position !== before.position + 1) {
    faults.push(`stands at ${event.position} behind ${before.position}: something is missing`);
  }
  if (event.previous_hash !== before.chain_hash) faults.push('does not name the line before it');
  return faults;
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The text of a line that was read byte by byte. */
function textOf(bytes) {
  try {
    return UTF8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    throw new Error('is no UTF-8: it was changed');
  }
}

/** The lines of a file, one in memory at a time, each byte a character. */
async function* linesOf(file) {
  let rest = '';
  for await (const part of createReadStream(file, 'latin1')) {
    const lines = (rest + part).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  yield rest;
}

/** What is wrong with the first line, by what was kept of the one before it. */
function beginFaults({ position, previous_hash: previous }, after) {
  const faults = [];
  if (position === 1 && previous !== null) faults.push('is the first and names one before it');
  if (after === 'none' && position !== 1) faults.push(`is at ${position}: the begin is missing`);
  if (after !== undefined && after !== 'none' && previous !== after) {
    faults.push(`does not follow ${after}: something is missing before it`);
  }
  return faults;
}

async function verify(files, { after, last: end }) {
  let before;
  let count = 0;
  let first;
  const faults = [];
  for (const file of files) {
    let number = 0;
    for await (const bytes of linesOf(file)) {
      number += 1;
      const line = bytes.replace(/\r$/, '');
      if (line === '') continue;
      const where = `${file}:${number}`;
      count += 1;
      try {
        const { event, odd } = read(textOf(line));
        const begin = first ? [] : beginFaults(event, after);
        const found = [...odd, ...begin, ...faultsOf(event, before)];
        faults.push(...found.map((fault) => `${where} ${fault}`));
        first ??= event;
        before = event;
      } catch (error) {
        faults.push(`${where} ${error.message}`);
      }
    }
  }
  if (end !== undefined && before && before.chain_hash !== end) {
    faults.push(`the end is not ${end}: lines are missing there, or the last one was changed`);
  }
  return { count, faults, first, last: before };
}

const OPTION = /^--(after|last)=(none|[0-9a-f]{64})$/;
const words = process.argv.slice(2);
const options = Object.fromEntries(
  words.flatMap((word) => {
    const [, name, value] = OPTION.exec(word) ?? [];
    return name ? [[name, value]] : [];
  }),
);
const files = words.filter((word) => !word.startsWith('--'));
if (files.length === 0 || words.some((word) => word.startsWith('--') && !OPTION.test(word))) {
  console.error(
    'usage: node tools/verify-audit-export.mjs [--after=HASH|none] [--last=HASH] FILE…',
  );
  process.exit(2);
}
const { count, faults, first, last } = await verify(files, options);
for (const fault of faults) console.error(fault);
if (count === 0) console.error('nothing was exported');
if (faults.length > 0 || count === 0) process.exit(1);
console.log(`${count} events, positions ${first.position} to ${last.position}: the chain holds.`);
if (first.position > 1) console.log(`It goes on behind the chain hash ${first.previous_hash}.`);
console.log(`Its last chain hash is ${last.chain_hash}.`);
