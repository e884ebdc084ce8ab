// Repeats root and verdict of a sealed period without a server, a network or a package:
//   node tools/verify-integrity-export.mjs EXPORT.ndjson
// The file is GET /v1/gw/billing-integrity/receipts/{id}/export: the rows of the period, each a
// leaf of the tree whose root the receipt has, rows of the same requests from outside of it, the
// hashes of usage rows from when they were new, and behind them the receipt. Ends with 0 where the
// rows say what the receipt says. What only the gateway could compare is counted apart: leaves of
// the transparency log (tools/verify-transparency-log.mjs), rates of tax, how long a hold was open.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

const sha256 = (...of) => of.reduce((hash, it) => hash.update(it), createHash('sha256')).digest();
const leafHash = (text) => sha256('\0', text);
const nodeHash = (left, right) => sha256('\x01', left, right);

/** The peaks of the tree so far; a leaf joins those of its size. */
const peaks = [];
function add(hash) {
  let peak = { level: 0, hash };
  while (peaks.at(-1)?.level === peak.level) {
    peak = { level: peak.level + 1, hash: nodeHash(peaks.pop().hash, peak.hash) };
  }
  peaks.push(peak);
}
const rootHex = () =>
  (
    peaks.map(({ hash }) => hash).reduceRight((right, left) => nodeHash(left, right)) ?? sha256('')
  ).toString('hex');

const requests = new Map();
const requestOf = (id) => {
  const known = requests.get(id) ?? {
    lines: [],
    others: [],
    usage: [],
    holds: [],
    hashes: [],
    witness: [],
  };
  requests.set(id, known);
  return known;
};

/** The refunds of each charge, also those from outside of the period. */
const refunds = new Map();
const refundsOf = ({ account_id: account, charged_request_id: charged }) => {
  const known = refunds.get(`${account} ${charged}`) ?? [];
  refunds.set(`${account} ${charged}`, known);
  return known;
};

/** Takes a row; `isInside` is false for one from outside of the period. */
function take(row, text, isInside) {
  if (row.kind === 'ledger_entry') {
    if (IN_REQUESTS.includes(row.type)) requestOf(row.request_id).lines.push(row);
    else if (isInside) requestOf(row.request_id).others.push(row);
    if (row.charged_request_id !== null) refundsOf(row).push(row);
    if (isInside) chain.push([BigInt(row.account_version), row]);
  } else if (row.kind === 'hold') requestOf(row.request_id).holds.push(row);
  else {
    requestOf(row.id).usage.push(row);
    if (isInside) requestOf(row.id).hashes.push(leafHash(text).toString('hex'));
  }
}
const chain = [];

const DIMENSIONS = [
  'input_uncached',
  'input_cached',
  'cache_write',
  'output_text',
  'output_reasoning',
];
/** Tokens times prices ÷ 1,000,000, half-even; undefined where a price is missing. */
function replayed(usage) {
  const prices = JSON.parse(usage.prices);
  if (DIMENSIONS.some((each) => !/^\d{1,30}$/.test(prices[each] ?? ''))) return undefined;
  const total = DIMENSIONS.reduce((sum, it) => sum + BigInt(usage[it]) * BigInt(prices[it]), 0n);
  const [whole, rest] = [total / 1_000_000n, total % 1_000_000n];
  return whole + (rest > 500_000n || (rest === 500_000n && whole % 2n === 1n) ? 1n : 0n);
}
/** The tax inside an amount, half up. */
function taxInside(amount, rate) {
  const points = BigInt(rate ?? 0);
  return (2n * amount * points + 10_000n + points) / (2n * (10_000n + points));
}
const moscowDay = (time) => new Date(Date.parse(time) + 10_800_000).toISOString().slice(0, 10);

const CONTRA = {
  hold: 'held',
  release: 'held',
  finalize: 'revenue',
  top_up: 'cash_in',
  refund: 'refunds',
  credit: 'credits',
  adjustment: 'adjustments',
  balance_return: 'cash_in',
};
const IN_REQUESTS = ['hold', 'finalize', 'release'];
const WITHOUT_RATE = ['hold', 'release', 'balance_return'];

/** Whether a line has the tax that it must. Refunds of a charge bear together that of their sum. */
function hasItsTax(line) {
  const { type, vat_micro: tax, vat_rate_basis_points: rate } = line;
  if (WITHOUT_RATE.includes(type) || (rate === null && ['credit', 'adjustment'].includes(type)))
    return tax === '0' && rate === null;
  if (rate === null) return false;
  const amount = BigInt(line.amount_micro);
  if (line.charged_request_id === null) return BigInt(tax) === taxInside(amount, rate);
  const before = refundsOf(line)
    .filter((it) => BigInt(it.account_version) < BigInt(line.account_version))
    .reduce((sum, it) => sum + BigInt(it.amount_micro), 0n);
  return BigInt(tax) === taxInside(before + amount, rate) - taxInside(before, rate);
}
function isLine(line) {
  const [amount, posted, held] = ['amount_micro', 'posted_delta', 'held_delta'].map((it) =>
    BigInt(line[it]),
  );
  const moves =
    {
      hold: posted === 0n && held === amount,
      release: posted === 0n && held === -amount,
      finalize: posted === -amount && held <= 0n,
      balance_return: posted === -amount && held === 0n,
    }[line.type] ??
    (held === 0n && (posted === amount || (line.type === 'adjustment' && posted === -amount)));
  return (
    amount >= 0n &&
    moves &&
    CONTRA[line.type] === line.contra &&
    hasItsTax(line) &&
    (line.type === 'refund' || line.charged_request_id === null) &&
    (!IN_REQUESTS.includes(line.type) || (line.description === null && line.actor_id === null))
  );
}

/** What is wrong with a request, by the rows of the file. */
function faultsOf({ lines, usage, holds, hashes, witness, others }) {
  const faults = new Set();
  const of = (type) => lines.filter((line) => line.type === type);
  const [held, charges, releases] = [of('hold'), of('finalize'), of('release')];
  const ends = [...charges, ...releases];
  const [used] = usage;
  const isServed = used !== undefined && used.status !== 'failed';
  const charge = charges[0];
  if (charges.length > 0 && !isServed) faults.add('orphan_charge');
  if (used && (isServed ? charges.length === 0 : ends.length === 0)) faults.add('orphan_usage');
  if (held.length === 0 && ends.length > 0) faults.add('orphan_end');
  if (held.length > 1 || ends.length > 1) faults.add('double');
  if (charge && isServed) {
    const sum = charges.reduce((total, line) => total + BigInt(line.amount_micro), 0n);
    const tax = charges.reduce((total, line) => total + BigInt(line.vat_micro), 0n);
    const rate = charge.vat_rate_basis_points;
    if (sum !== BigInt(used.amount_micro)) faults.add('amount_differs');
    if (tax !== BigInt(used.vat_micro) || rate !== used.vat_rate_basis_points)
      faults.add('tax_differs');
    if (replayed(used) !== sum) faults.add('replay_differs');
    if (taxInside(sum, rate) !== tax) faults.add('tax_replay_differs');
    if (!(JSON.parse(used.prices).effective_from <= moscowDay(used.created_at)))
      faults.add('price_not_in_force');
  }
  if ([...lines, ...others].some((line) => !isLine(line))) faults.add('line_differs');
  for (const line of held) {
    const hold = holds.find((it) => it.account_id === line.account_id);
    if (hold && (hold.amount_micro !== line.amount_micro || hold.created_at !== line.created_at))
      faults.add('hold_differs');
  }
  if (used && ends[0] && !ends.some((end) => end.created_at === used.created_at))
    faults.add('usage_differs');
  if (witness.length > 0 && usage.length === 0) faults.add('row_removed');
  if (hashes.some((hash) => witness.some((it) => it !== hash))) faults.add('row_changed');
  return faults;
}

/** Requests of lines whose balances do not follow from the line before. */
function* broken() {
  chain.sort(([one], [next]) => (one < next ? -1 : 1));
  for (const [at, [version, line]] of chain.entries()) {
    const [before, last] = chain[at - 1] ?? [];
    if (before !== version - 1n || last.account_id !== line.account_id) continue;
    const follows = ['posted', 'held'].every(
      (it) =>
        BigInt(line[`${it}_after`]) === BigInt(last[`${it}_after`]) + BigInt(line[`${it}_delta`]),
    );
    if (!follows) yield line.request_id;
  }
}

/** What the rows of the period add up to, under the names of the receipt. */
const counted = { holds: 0, charges: 0, releases: 0, usage_rows: 0, failed_rows: 0 };
const summed = { ledger_rub: 0n, usage_rub: 0n, replayed_rub: 0n };
const COUNTED_AS = { hold: 'holds', finalize: 'charges', release: 'releases' };
function count(row) {
  if (row.kind === 'ledger_entry') {
    if (COUNTED_AS[row.type]) counted[COUNTED_AS[row.type]] += 1;
    if (row.type === 'finalize') summed.ledger_rub += BigInt(row.amount_micro);
  } else if (row.kind !== 'hold') {
    const isServed = row.status !== 'failed';
    counted[isServed ? 'usage_rows' : 'failed_rows'] += 1;
    summed.usage_rub += BigInt(row.amount_micro);
    if (isServed) summed.replayed_rub += replayed(row) ?? 0n;
  }
}
/** Micro-rubles of a decimal of rubles; undefined for any other text. */
function microOf(rub) {
  const [, sign, whole, rest = ''] = /^(-?)(\d+)(?:\.(\d{1,6}))?$/.exec(rub) ?? [];
  return whole && BigInt(`${sign}${whole}${rest.padEnd(6, '0')}`);
}

/** What the rows cannot show a reader of the file. */
const BY_THE_GATEWAY = [
  'row_changed',
  'row_removed',
  'row_added',
  'foreign_row',
  'hold_differs',
  'balance_differs',
  'rate_not_in_force',
  'usage_differs',
  'dangling',
];

/** The lines of a file. Only a line feed ends one: a text in a row may hold other separators. */
async function* linesOf(path) {
  let rest = '';
  for await (const part of createReadStream(path, 'utf8')) {
    const lines = (rest + part).split('\n');
    rest = lines.pop();
    yield* lines;
  }
  if (rest !== '') yield rest;
}

const [file] = process.argv.slice(2);
if (!file) {
  console.error('usage: node tools/verify-integrity-export.mjs EXPORT.ndjson');
  process.exit(2);
}
/** Says why the file cannot be judged, and ends. */
function refuse(why) {
  console.error(`cannot verify: ${why}`);
  process.exit(1);
}
let receipt;
let leaves = 0;
let number = 0;
for await (const line of linesOf(file)) {
  number += 1;
  if (line === '') continue;
  if (receipt) refuse(`line ${number} follows the receipt, which must be last`);
  try {
    const row = JSON.parse(line);
    if (row.kind === 'receipt') receipt = row;
    else if (row.kind === 'witness') requestOf(row.request_id).witness.push(row.sha256);
    else if (row.kind === 'beside') take(row.leaf, '', false);
    else {
      take(row, line, true);
      count(row);
      add(leafHash(line));
      leaves += 1;
    }
  } catch (error) {
    refuse(`line ${number} is no row of an export (${error.message})`);
  }
}
if (!receipt) refuse('the file has no receipt');
const wrong = [];
if (sha256(receipt.content).toString('hex') !== receipt.sha256)
  wrong.push('the receipt does not have its hash');
const sealed = JSON.parse(receipt.content);
const root = leaves === 0 ? sha256('').toString('hex') : rootHex();
if (sealed.root_sha256 !== root)
  wrong.push(`the rows have the root ${root}, the receipt ${sealed.root_sha256}`);
if (Number(sealed.leaves) !== leaves)
  wrong.push(`the file has ${leaves} leaves, the receipt ${sealed.leaves}`);
for (const [name, figure] of Object.entries(counted)) {
  if (Number(sealed[name]) !== figure)
    wrong.push(`the rows have ${name} ${figure}, the receipt ${sealed[name]}`);
}
const witnessed = [...requests.values()].filter(
  ({ hashes, witness }) => hashes.length > 0 && witness.length > 0,
).length;
if (Number(sealed.witnessed) !== witnessed) {
  wrong.push(
    `the file has first hashes of ${witnessed} usage rows, the receipt of ${sealed.witnessed}`,
  );
}
const found = new Map();
for (const [id, request] of requests) {
  const faults = faultsOf(request);
  if (faults.size > 0) found.set(id, faults);
}
for (const id of broken()) found.set(id, (found.get(id) ?? new Set()).add('balance_differs'));
const named = new Map(sealed.faulty.map(({ request_id, faults }) => [request_id, faults]));
const isAll = sealed.named_total === named.size;
for (const [id, faults] of found) {
  if (isAll && !named.has(id)) wrong.push(`${id} is not named: ${[...faults].join(', ')}`);
}
let unseen = 0;
for (const [id, faults] of named) {
  if (found.has(id)) continue;
  if (faults.some((it) => BY_THE_GATEWAY.includes(it))) unseen += 1;
  else wrong.push(`${id} is named as ${faults.join(', ')}, and its rows do not show it`);
}
if (found.size + unseen === 0) {
  for (const [name, micro] of Object.entries(summed)) {
    if (microOf(sealed[name]) !== micro)
      wrong.push(`the rows have ${name} of ${micro} micro-rubles, the receipt ${sealed[name]} RUB`);
  }
}
const isWrong = found.size > 0 || unseen > 0 || sealed.missing_lines_total > 0;
if ((sealed.verdict === 'VIOLATION') !== isWrong) {
  wrong.push(
    `the rows ${isWrong ? 'show' : 'do not show'} a violation, the receipt says ${sealed.verdict}`,
  );
}
for (const each of wrong.slice(0, 20)) console.error(each);
const word = wrong.length === 0 ? 'repeated' : 'NOT repeated';
const counts = `${leaves} leaves, ${requests.size} requests, ${found.size} of them faulty`;
console.log(`${counts}, ${unseen} more by the gateway alone; root ${root}`);
console.log(`receipt ${receipt.id} sealed ${receipt.sealed_at}, sha256 ${receipt.sha256}`);
console.log(`${sealed.verdict} ${word}`);
process.exitCode = wrong.length === 0 ? 0 : 1;
