import type { InLanguages, Language } from './languages.js';
import { filled } from './template.js';

/** A phrase of the code, and the same in another language; both have the same places. */
export type Phrase = readonly [said: string, translated: string];

const OR: InLanguages<string> = { en: ' or ', ru: ' или ' };

interface Compiled {
  readonly pattern: RegExp;
  readonly names: readonly string[];
  readonly translated: string;
}

/**
 * Phrases of the code with what they are in another language, found again by their wording. Where
 * several fit, the first does.
 */
export class Phrases {
  private readonly compiled: readonly Compiled[];

  constructor(
    private readonly language: Language,
    readonly rows: readonly Phrase[],
    /** Phrases that a place is filled with, by its name: without one that fits, nothing does. */
    private readonly inside: Readonly<Record<string, Phrases>> = {},
  ) {
    this.compiled = rows.map(([said, translated]) => compile(said, translated));
  }

  /** The text in the language; undefined where no phrase has its wording. */
  find(text: string): string | undefined {
    for (const { pattern, names, translated } of this.compiled) {
      const match = pattern.exec(text);
      if (!match) continue;
      const values = names.map((name, at) => this.valueOf(name, match[at + 1] ?? ''));
      if (values.includes(undefined)) continue;
      const entries = names.map((name, at) => [name, values[at] ?? '']);
      return filled(translated, Object.fromEntries(entries), this.language);
    }
    return undefined;
  }

  private valueOf(name: string, value: string): string | undefined {
    // Names that may be meant are joined where they are found, which is in English.
    if (name === 'near') return value.replaceAll(OR.en, OR[this.language]);
    const phrases = this.inside[name];
    return phrases ? phrases.find(value) : value;
  }
}

function compile(said: string, translated: string): Compiled {
  const names: string[] = [];
  const pattern = said.split(/(\{\w+\})/).map((piece, index) => {
    if (index % 2 === 0) return piece.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
    names.push(piece.slice(1, -1));
    // A path is one word: what follows it must not be taken for a part of it.
    return piece === '{path}' ? '(\\S+)' : '(.+?)';
  });
  return { pattern: new RegExp(`^${pattern.join('')}$`, 's'), names, translated };
}
