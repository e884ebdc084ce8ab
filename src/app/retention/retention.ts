import type pg from 'pg';
import { dropMonth } from './drop.js';
import { exportMonth } from './export.js';
import { type Month, monthsBefore, TABLES, type TableWord } from './month.js';
import { obstaclesOf, type Terms } from './obstacles.js';

/** Why no month of the ledger is dropped. */
export const LEDGER_STAYS =
  'ledger: stays whole. Its lines are accounting records of five years (60 months), they are one ' +
  'chain by the versions of each account, and they are the leaves of the transparency log.';

const MONTH = /^(?!0000)\d{4}-(0[1-9]|1[0-2])$/;

/** What the operator asks for. */
export interface RetentionQuestion extends Terms {
  /** Months that end before it begins, as `YYYY-MM`. */
  readonly before: string;
  readonly tables: readonly string[];
  /** Where to; without it nothing is exported, and so nothing dropped. */
  readonly folder?: string | undefined;
  /** Whether to do it, or to say what would be done. */
  readonly apply: boolean;
}

/** How it ended: false where something that was asked for must stay. */
export type Tell = (line: string) => void;

/** @throws Error that names the words that are none */
function wordsOf(tables: readonly string[]): { words: TableWord[]; asksLedger: boolean } {
  const known = Object.keys(TABLES);
  const strange = tables.filter((each) => each !== 'ledger' && !known.includes(each));
  if (strange.length > 0) {
    throw new Error(`no such table: ${strange.join(', ')}; there are ledger, ${known.join(', ')}`);
  }
  const words = tables.filter((each): each is TableWord => known.includes(each));
  return { words, asksLedger: tables.includes('ledger') };
}

function told({ word, name, untilMonth, rows, bytes }: Month): string {
  const mebibytes = (Number(bytes) / 1_048_576).toFixed(1);
  return `${word}: ${name} (before ${untilMonth}), ${rows} rows, ${mebibytes} MiB`;
}

const IN_TURN = `SELECT pg_try_advisory_lock(hashtext('retention')) AS taken`;
const NOT_IN_TURN = `SELECT pg_advisory_unlock(hashtext('retention'))`;

/**
 * Two that export a month at once would write over one another's file, which is all that is left of
 * it once one of them has dropped it.
 * @throws Error where another one is at work on this database
 */
async function alone<T>(owner: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const { rows } = await owner.query<{ taken: boolean }>(IN_TURN);
  if (rows[0]?.taken !== true) throw new Error('retention is at work on this database already');
  try {
    return await work();
  } finally {
    await owner.query(NOT_IN_TURN);
  }
}

/**
 * Exports and drops the months before another one, or says what would be done. Months go in their
 * order: one that must stay keeps those after it.
 * @param owner a session of the role that owns the tables
 * @returns true where everything that was asked for is done, or could be
 */
export async function retain(
  owner: pg.ClientBase,
  question: RetentionQuestion,
  tell: Tell,
): Promise<boolean> {
  const { before, folder, apply } = question;
  if (!MONTH.test(before)) throw new Error(`--before ${before} is no month as YYYY-MM`);
  if (apply && folder === undefined) throw new Error('--apply needs --export FOLDER');
  const { words, asksLedger } = wordsOf(question.tables);
  if (asksLedger) tell(LEDGER_STAYS);
  const isWhole = await alone(owner, () => retainEach(owner, words, question, tell));
  return isWhole && !asksLedger;
}

async function retainEach(
  owner: pg.ClientBase,
  words: readonly TableWord[],
  question: RetentionQuestion,
  tell: Tell,
): Promise<boolean> {
  const { before, folder, apply } = question;
  let isWhole = true;
  for (const word of words) {
    const months = await monthsBefore(owner, word, before);
    if (months.length === 0) tell(`${word}: no whole month before ${before}`);
    for (const month of months) {
      const reasons = await obstaclesOf(owner, month, question);
      tell(told(month));
      for (const reason of reasons) tell(`  stays: ${reason}`);
      if (reasons.length > 0) {
        isWhole = false;
        break;
      }
      if (folder === undefined || !apply) {
        tell('  can go');
        continue;
      }
      const manifest = await exportMonth(owner, month, folder);
      tell(`  exported: ${manifest.file}, SHA-256 ${manifest.sha256}`);
      await dropMonth(owner, month, manifest, question);
      tell('  dropped');
    }
  }
  return isWhole;
}
