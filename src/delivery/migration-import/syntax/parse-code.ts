import { setImmediate as turn } from 'node:timers/promises';
import type { Tree } from '@lezer/common';
import { parser as javascript } from '@lezer/javascript';
import { parser as python } from '@lezer/python';
import { DEPTH_MAX } from '../vocabulary.js';

const PARSERS = { python, javascript: javascript.configure({ dialect: 'ts jsx' }) } as const;

/** A programming language that can be read. */
export type Language = keyof typeof PARSERS;

/** A tree of code; `stoppedAt` is where parsing was given up. */
export interface ParsedCode {
  readonly tree: Tree;
  readonly stoppedAt?: number;
}

/** How long one text may be parsed in all, and at a stretch, in milliseconds. */
const PARSE_MS_MAX = 1_500;
const STRETCH_MS = 8;
const STEPS_BETWEEN_LOOKS = 64;

/**
 * Parses code in short stretches, so that other requests go on in between. Grammars that guess
 * can be made to guess for very long: what is not parsed in time is left out.
 */
export async function parseCode(language: Language, content: string): Promise<ParsedCode> {
  const deepAt = tooDeepAt(content);
  const parse = PARSERS[language].startParse(content);
  if (deepAt !== undefined) parse.stopAt(deepAt);
  let spentMs = 0;
  let startedMs = performance.now();
  for (let steps = 1; ; steps += 1) {
    const tree = parse.advance();
    if (tree) return { tree, stoppedAt: parse.stoppedAt ?? undefined };
    if (steps % STEPS_BETWEEN_LOOKS !== 0) continue;
    const stretchMs = performance.now() - startedMs;
    if (stretchMs < STRETCH_MS) continue;
    spentMs += stretchMs;
    if (spentMs > PARSE_MS_MAX && parse.stoppedAt === null) parse.stopAt(parse.parsedPos);
    await turn();
    startedMs = performance.now();
  }
}

const OPENERS = '([{';
const CLOSERS = ')]}';

/** Where brackets first stand too deep in each other, by a count that knows no strings. */
function tooDeepAt(content: string): number | undefined {
  let depth = 0;
  for (let at = 0; at < content.length; at += 1) {
    const character = content[at] ?? '';
    if (OPENERS.includes(character)) depth += 1;
    else if (CLOSERS.includes(character)) depth = Math.max(0, depth - 1);
    if (depth > DEPTH_MAX) return at;
  }
  return undefined;
}
