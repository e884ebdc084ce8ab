// Verifies an export of the audit trail without a server, a network or a package:
//   node tools/verify-audit-export.mjs trail.ndjson [more.ndjson …]
// Files are NDJSON or CEF, in the order of the chain. Each line must hash to its own chain_hash,
// name that of the line before, and stand at the next position. Ends with 0 when everything holds;
// else it names each line that does not, and ends with 1.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

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

function verify(files) {
  let before;
  let count = 0;
  let first;
  const faults = [];
  for (const file of files) {
    const lines = readFileSync(file, 'utf8').split('\n');
    lines.forEach((line, index) => {
      if (line === '') return;
      const where = `${file}:${index + 1}`;
      count += 1;
      try {
        const event = line.startsWith('CEF:') ? fromCef(line) : JSON.parse(line);
        first ??= event;
        if (event.position === 1 && event.previous_hash !== null) {
          faults.push(`${where} is the first and names one before it`);
        }
        faults.push(...faultsOf(event, before).map((fault) => `${where} ${fault}`));
        before = event;
      } catch (error) {
        faults.push(`${where} ${error.message}`);
      }
    });
  }
  return { count, faults, first, last: before };
}

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node tools/verify-audit-export.mjs FILE…');
  process.exit(2);
}
const { count, faults, first, last } = verify(files);
for (const fault of faults) console.error(fault);
if (count === 0) console.error('nothing was exported');
if (faults.length > 0 || count === 0) process.exit(1);
console.log(`${count} events, positions ${first.position} to ${last.position}: the chain holds.`);
if (first.position > 1) console.log(`It goes on behind the chain hash ${first.previous_hash}.`);
console.log(`Its last chain hash is ${last.chain_hash}.`);
