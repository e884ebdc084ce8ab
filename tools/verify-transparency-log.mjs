// Verifies the transparency log of an organization without a server, a network or a package:
//   node tools/verify-transparency-log.mjs KEYS.json EXPORT.ndjson [more.ndjson proof.json …]
// KEYS.json is /.well-known/jwks.json, or several that were kept, with commas. Exports stand in
// their order; checkpoints and proofs of the API may follow, a line each as they came. A checkpoint
// on its own line demands its leaves; with --without-leaves before the keys, proofs stand for them.
// Checkpoints as signed notes (c2sp.org/tlog-checkpoint) come by --note FILE, with the key of their
// log by --log KEY. Witnesses (c2sp.org/tlog-cosignature) are known by --witness KEY; as many as
// --witnesses-required says must have cosigned each note. KEY is name+id+base64.
import { createHash, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';

const sha256 = (...of) => of.reduce((hash, it) => hash.update(it), createHash('sha256')).digest();
const [leafHash, nodeHash] = ['\0', '\x01'].map((mark) => sha256.bind(null, mark));
const rootOf = (peaks) => peaks.reduceRight((right, left) => nodeHash(left, right));
/** The last of a path, the others, and where a tree of this size is split. */
const parted = (path, n) => [path.at(-1), path.slice(0, -1), 2 ** Math.floor(Math.log2(n - 1))];
/** The root that a leaf and its path lead to (RFC 6962, 2.1.1). @throws for a path that is short */
function rootByPath(leaf, index, size, path) {
  if (size === 1) return index === 0 && path.length === 0 ? leaf : sha256('no such leaf');
  const [side, below, middle] = parted(path, size);
  if (index < middle) return nodeHash(rootByPath(leaf, index, middle, below), side);
  return nodeHash(side, rootByPath(leaf, index - middle, size - middle, below));
}
/** The roots of the old and the new tree that a proof leads to (RFC 6962, 2.1.2). @throws so too */
function rootsByPath(known, first, second, path) {
  const [node, ...more] = known ? [known, ...path] : path;
  if (first === second) return more.length === 0 ? [node, node] : [sha256('too long'), node];
  const [side, below, middle] = parted(path, second);
  const right = (at) => nodeHash(side, at);
  if (first > middle) return rootsByPath(null, first - middle, second - middle, below).map(right);
  const [old, now] = rootsByPath(known, first, middle, below);
  return [old, nodeHash(now, side)];
}
const SHOWN = /,"cosignatures":\[(?:{"witness":"[^"\s\\+]+","time":"[\w:.-]+"},?)*\](?=}$)/;
const BESIDE = /^{("id":"[\w-]+","size":(\d+),"root_sha256":"(\w+)","created_at":"[\w:.-]+")?}$/;
/** What a checkpoint says. @throws where none of the keys has signed it, or something beside it */
function open({ statement, ...beside }) {
  const parts = statement.split('.').map((it) => Buffer.from(it, 'base64url'));
  const signed = Buffer.from(statement.slice(0, statement.lastIndexOf('.')));
  const [{ kid, typ }, { sub: tenant, size, root_sha256 }] = parts.slice(0, 2).map(JSON.parse);
  const key = typ === 'gw-log-checkpoint+jwt' && keys.find((each) => each.kid === kid);
  const isWhole = parts.map((it) => it.toString('base64url')).join('.') === statement;
  if (!key || !isWhole || !verify(null, signed, { key, format: 'jwk' }, parts[2]))
    throw new Error(`a checkpoint is not signed by one of the keys: it names the key ${kid}`);
  const shown = JSON.stringify(beside).replace(SHOWN, '');
  const [isOfLog, isTold, toldSize, toldRoot] = BESIDE.exec(shown) ?? [];
  if (!isOfLog || (isTold && (toldSize !== String(size) || toldRoot !== root_sha256)))
    throw new Error('beside a checkpoint stands what was not signed');
  return { tenant, size, root: Buffer.from(root_sha256, 'hex') };
}
const PROOF = /^checkpoint,hashes,index,leaf(,leaf_sha256)?$|^first,hashes,second$/;
/** A line that is no leaf. @throws for what is none, or is not written as it came, byte by byte */
function read(line) {
  const text = Buffer.from(line, 'latin1').toString();
  const it = text.startsWith('{') && JSON.parse(text);
  const isOfLog = it.statement || PROOF.test(Object.keys(it).sort());
  if (isOfLog && Buffer.from(JSON.stringify(it)).toString('latin1') === line) return it;
  throw new Error(`no leaf, checkpoint or proof: ${text.slice(0, 80)}`);
}
/** Lines, a character for each byte: what is no UTF-8 would read as other bytes do. */
async function* linesOf(files, areLeaves) {
  const isWanted = (line) => line !== '' && line.includes('"kind":"') === areLeaves;
  for (const file of files) {
    const lines = [''];
    for await (const part of createReadStream(file, 'latin1')) {
      lines.push(...(lines.pop() + part).split('\n'));
      yield* lines.splice(0, lines.length - 1).filter(isWanted);
    }
    yield* lines.filter(isWanted);
  }
}
/** The bytes of base64 in its one spelling; none of any other. */
function bytesOf(text = '') {
  const bytes = Buffer.from(text, 'base64');
  return bytes.toString('base64') === text ? bytes : Buffer.alloc(0);
}
/** A key of a note by its text. @throws where it is none of this type */
function keyOf(type, text) {
  const [, name, id, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/u.exec(text) ?? [];
  const typed = bytesOf(base64);
  const isNamed = sha256(`${name}\n`, typed).toString('hex', 0, 4) === id;
  if (!isNamed || typed.length !== 33 || typed[0] !== type) throw new Error(`no key: ${text}`);
  return { name, id, jwk: { kty: 'OKP', crv: 'Ed25519', x: typed.toString('base64url', 1) } };
}
const holdsBy = ({ jwk: key }, text, signature) =>
  verify(null, Buffer.from(text), { key, format: 'jwk' }, signature);
/** What a note says, once its log has signed it, and who has cosigned it. @throws for no note */
function openNote(file) {
  const bytes = readFileSync(file);
  const text = bytes.toString();
  const [, body, origin, size, root64] =
    /^(([^\n]+)\n(0|[1-9]\d{0,14})\n([^\n]+)\n)\n(?:— [^\s+]+ \S+\n)+$/u.exec(text) ?? [];
  const root = bytesOf(root64);
  if (!body || !bytes.equals(Buffer.from(text)) || root.length !== 32)
    throw new Error(`no note of a checkpoint: ${file}`);
  const signatures = text
    .slice(body.length + 1, -1)
    .split('\n')
    .map((line) => line.split(' '));
  const by = ({ name, id }) =>
    signatures.flatMap(([, whose, base64]) => {
      const signed = bytesOf(base64);
      return whose === name && signed.toString('hex', 0, 4) === id ? [signed.subarray(4)] : [];
    });
  const own = logs.filter(({ name }) => name === origin);
  must(own.length > 0, `the note of ${size} leaves is of a log without --log: ${origin}`);
  const isOwn = own.some((key) => by(key).length > 0);
  const holds = own.every((key) => by(key).every((signed) => holdsBy(key, body, signed)));
  must(isOwn && holds, `the note of ${size} leaves is not signed by its log`);
  const cosigned = new Set();
  for (const key of witnesses)
    for (const signed of by(key)) {
      const time = signed.length === 72 ? signed.readBigUInt64BE() : 0n;
      const isGood = holdsBy(key, `cosignature/v1\ntime ${time}\n${body}`, signed.subarray(8));
      must(time > 0n && isGood, `${key.name} has not signed the note of ${size} leaves as it is`);
      must(time < Date.now() / 1000 + 300, `${key.name} signed ${size} leaves in the future`);
      if (isGood) cosigned.add(key.jwk.x);
    }
  const count = `${cosigned.size} of ${required} witnesses`;
  must(cosigned.size >= required, `${count} that are required have cosigned ${size} leaves`);
  return { size: Number(size), root, cosignatures: cosigned.size };
}
process.on('uncaughtException', ({ message }) => process.exit(console.error(message) ?? 1));
const many = { type: 'string', multiple: true, default: [] };
const options = { note: many, log: many, witness: many, 'without-leaves': { type: 'boolean' } };
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ...options, 'witnesses-required': { type: 'string', default: '0' } },
});
const { 'without-leaves': isWithout = false, 'witnesses-required': wanted, note } = values;
const required = Number(wanted);
const [keysFile, ...files] = positionals;
const isUsed = files[0] || (keysFile && note[0]);
if (!isUsed) throw new Error('usage: verify-transparency-log.mjs KEYS.json EXPORT.ndjson …');
const [logs, witnesses] = [
  values.log.map((it) => keyOf(1, it)),
  values.witness.map((it) => keyOf(4, it)),
];
const others = new Set(witnesses.map(({ jwk }) => jwk.x));
if (!(required >= 0 && required <= others.size))
  throw new Error(`--witnesses-required ${wanted}, but ${others.size} keys by --witness`);
const keys = keysFile.split(',').flatMap((it) => JSON.parse(readFileSync(it)).keys ?? []);
const [told, faults, peaks, roots] = [[], new Set(), [], new Map([[0, sha256('')]])];
const must = (holds, fault) => holds || faults.add(fault);
for await (const line of linesOf(files, false)) told.push(read(line));
const stated = (it) => (it.statement ? [it] : [it.checkpoint ?? it.first, it.second ?? []].flat());
const notes = note.map(openNote);
must(notes.length > 0 || required === 0, 'witnesses are required, and no note is given');
const [proofs, points] = [
  told.filter((it) => !it.statement),
  [...told.flatMap(stated).map(open), ...notes],
];
const demanded = [...told.filter((it) => it.statement).map(open), ...notes];
let [tenant, sizes, size] = [points[0]?.tenant, new Set(points.map((point) => point.size)), 0];
for await (const line of linesOf(files, true)) {
  tenant ??= /"tenant_id":"([\w-]+)"/.exec(line)?.[1];
  must(line.includes(`"tenant_id":"${tenant}"`), `leaf ${size} is of another organization`);
  let node = leafHash(Buffer.from(line, 'latin1'));
  // The roots of the complete subtrees, the largest first.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(peaks.pop(), node);
  size = peaks.push(node) && size + 1;
  if (sizes.has(size)) roots.set(size, rootOf(peaks));
}
must(isWithout || demanded.every((it) => it.size <= size), 'leaves are missing');
must(points.length > 0 && (size === 0 || sizes.has(size)), 'the last leaf is under no checkpoint');
for (const { tenant: whose, size: of, root } of points) {
  must(!whose || whose === tenant, 'checkpoints are of several organizations');
  if (size === 0 && !roots.has(of)) roots.set(of, root);
  must(roots.get(of)?.equals(root), `the first ${of} leaves are not those that were signed`);
}
const [joined, pairs] = [new Set([0, points.find((point) => point.size > 0)?.size]), []];
for (const { leaf, index, leaf_sha256: own, hashes, checkpoint, first, second } of proofs) {
  const path = hashes.map((hex) => Buffer.from(hex, 'hex'));
  must(own === undefined || own === leafHash(leaf).toString('hex'), `leaf ${index}: another hash`);
  const [at, old, now] = [checkpoint, first, second].map((it) => it && open(it));
  const isHex = /^\[("[0-9a-f]{64}",?)*\]$/.test(JSON.stringify(hashes));
  const isText = old || (leaf.isWellFormed() && [+index, `${+index}`].includes(index));
  must(isHex && isText, 'a proof is misspelt');
  let found = at ? [rootByPath(leafHash(leaf), Number(index), at.size, path)] : path;
  if (old?.size > 0) found = rootsByPath(old.root, old.size, now.size, path);
  if (old) pairs.push([old.size, now.size]);
  const holds = found.every((root, nth) => root.equals((at ? [at] : [old, now])[nth].root));
  must(holds, at ? `leaf ${index} is not in the log` : `${old.size} and ${now.size} do not agree`);
}
const isMet = (pair) => pair.some((of) => joined.has(of || -1));
for (const _ of pairs) for (const of of pairs.filter(isMet).flat()) joined.add(of);
must(size > 0 || [...sizes].every((of) => joined.has(of)), 'the proofs do not lead to each other');
for (const fault of faults) process.exitCode = console.error(fault) ?? 1;
const cosigned = notes.reduce((sum, it) => sum + it.cosignatures, 0);
const ofNotes = notes.length > 0 ? `, ${cosigned} cosignatures` : '';
const seen = `${size} leaves, ${points.length} checkpoints, ${proofs.length} proofs${ofNotes}`;
console.log(`${seen} of ${tenant}: ${faults.size} faults`);
