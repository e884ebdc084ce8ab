import { piecesOf } from '../../inference/firewall/cut.js';
import { BLUEPRINT_BOUNDS } from './vocabulary.js';

/** A document to look into. */
export interface SourceDocument {
  readonly id: string;
  readonly title: string;
  readonly text: string;
}

/** A passage that was found, with its score by BM25. */
export interface Passage extends SourceDocument {
  readonly score: number;
}

/** The usual constants of BM25 (Robertson and Zaragoza 2009): saturation and length. */
const K1 = 1.2;
const B = 0.75;
/** Russian and English words differ by inflection after about so many letters. */
const STEM_LETTERS = 5;
const WORD_LETTERS_MIN = 3;

/** The stems of a text: words of three letters and more, cut to five, `ё` as `е`. */
export function stemsOf(text: string): string[] {
  return (
    text
      .toLowerCase()
      .replaceAll('ё', 'е')
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter((word) => word.length >= WORD_LETTERS_MIN)
    .map((word) => word.slice(0, STEM_LETTERS));
}

/**
 * The passages that match a query best, at most `top`, best first; passages without a word of the
 * query are left out, and ties keep the order of the documents. Passages are the paragraphs of the
 * documents, cut at 1,200 characters and inside of no value that is to be masked; a title counts as
 * part of each. Deterministic.
 */
export function bestPassages(
  documents: readonly SourceDocument[],
  query: string,
  top: number,
): Passage[] {
  const passages = documents.flatMap(paragraphs).slice(0, BLUEPRINT_BOUNDS.passagesMax);
  const terms = passages.map(({ title, text }) => counted(stemsOf(`${title} ${text}`)));
  const lengths = terms.map((counts) => [...counts.values()].reduce((sum, n) => sum + n, 0));
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, passages.length);
  const wanted = [...new Set(stemsOf(query))];
  const weights = wanted.map((term) => inverseFrequency(term, terms));
  return passages
    .map((passage, index) => {
      const norm = 1 - B + (B * (lengths[index] ?? 0)) / Math.max(1, average);
      const score = wanted.reduce((sum, term, at) => {
        const frequency = terms[index]?.get(term) ?? 0;
        return sum + ((weights[at] ?? 0) * frequency * (K1 + 1)) / (frequency + K1 * norm);
      }, 0);
      return { ...passage, score: Math.round(score * 1_000) / 1_000 };
    })
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, top);
}

function paragraphs({ id, title, text }: SourceDocument): SourceDocument[] {
  const length = BLUEPRINT_BOUNDS.passageCharactersMax;
  return text
    .split(/\n\s*\n/)
    .map((part) => part.trim())
    .filter((part) => part !== '')
    .flatMap((part) => piecesOf(part, length).map((piece) => ({ id, title, text: piece })));
}

function counted(stems: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const stem of stems) counts.set(stem, (counts.get(stem) ?? 0) + 1);
  return counts;
}

/** ln(1 + (N − n + 0.5) / (n + 0.5)): never negative. */
function inverseFrequency(term: string, passages: readonly ReadonlyMap<string, number>[]): number {
  const having = passages.filter((counts) => counts.has(term)).length;
  return Math.log(1 + (passages.length - having + 0.5) / (having + 0.5));
}
