// Verifies the transparency log of an organization without a server, a network or a package:
//   node tools/verify-transparency-log.mjs KEYS.json EXPORT.ndjson [more.ndjson proof.json …]
// KEYS.json is /.well-known/jwks.json, or several that were kept, with commas. Exports stand in
// their order; checkpoints and proofs of the API may follow, a line each as they came. A checkpoint
// on its own line demands its leaves; with --without-leaves before the keys, proofs stand for them.
import { createHash, verify } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';

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
  const [isOfLog, isTold, toldSize, toldRoot] = BESIDE.exec(JSON.stringify(beside)) ?? [];
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
process.on('uncaughtException', ({ message }) => process.exit(console.error(message) ?? 1));
const isWithout = process.argv[2] === '--without-leaves';
const [keysFile, ...files] = process.argv.slice(isWithout ? 3 : 2);
if (!files[0]) throw new Error('usage: verify-transparency-log.mjs KEYS.json EXPORT.ndjson …');
const keys = keysFile.split(',').flatMap((it) => JSON.parse(readFileSync(it)).keys ?? []);
const [told, faults, peaks, roots] = [[], new Set(), [], new Map([[0, sha256('')]])];
const must = (holds, fault) => holds || faults.add(fault);
for await (const line of linesOf(files, false)) told.push(read(line));
const stated = (it) => (it.statement ? [it] : [it.checkpoint ?? it.first, it.second ?? []].flat());
const [proofs, points] = [told.filter((it) => !it.statement), told.flatMap(stated).map(open)];
let [tenant, sizes, size] = [points[0]?.tenant, new Set(points.map((point) => point.size)), 0];
for await (const line of linesOf(files, true)) {
  must(line.includes(`"tenant_id":"${tenant}"`), `leaf ${size} is of another organization`);
  let node = leafHash(Buffer.from(line, 'latin1'));
  // The roots of the complete subtrees, the largest first.
  for (let rest = size; rest % 2 === 1; rest = (rest - 1) / 2) node = nodeHash(peaks.pop(), node);
  size = peaks.push(node) && size + 1;
  if (sizes.has(size)) roots.set(size, rootOf(peaks));
}
must(isWithout || told.every((it) => !it.statement || open(it).size <= size), 'leaves are missing');
must(points.length > 0 && (size === 0 || sizes.has(size)), 'the last leaf is under no checkpoint');
for (const { tenant: whose, size: of, root } of points) {
  must(whose === tenant, 'checkpoints are of several organizations');
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
const seen = `${size} leaves, ${points.length} checkpoints, ${proofs.length} proofs`;
console.log(`${seen} of ${tenant}: ${faults.size} faults`);
