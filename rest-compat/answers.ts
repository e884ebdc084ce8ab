import { readFileSync } from 'node:fs';

/** What a row was answered when its example ran on a fresh server, with sample values. */
export interface RecordedAnswer {
  /** The name of the row. */
  readonly operation: string;
  readonly contentType: string;
  /** JSON, or the text of another content type; of a stream, its first event. */
  readonly body: unknown;
}

/** Recorded answers by the name of the row. */
export type RecordedAnswers = ReadonlyMap<string, RecordedAnswer>;

/** Reads a file of recorded answers, one in each line. */
export function readAnswers(path: string): RecordedAnswers {
  const lines = readFileSync(path, 'utf8').split('\n');
  const answers = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return new Map((answers as RecordedAnswer[]).map((answer) => [answer.operation, answer]));
}
