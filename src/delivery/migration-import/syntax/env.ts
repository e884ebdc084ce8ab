import dotenv from 'dotenv';
import type { Observation, ParseFault, Reading, Token } from '../observation.js';
import { variableIn } from '../observation.js';
import { FAULTS_MAX, OBSERVATIONS_MAX } from '../vocabulary.js';

const LINE = /[^\n\r\u2028\u2029]*(?:\r\n|[\n\r\u2028\u2029]|$)/y;
const ASSIGNMENT =
  /^([ \t]{0,100}(?:(?:export|ENV|ARG)[ \t]{1,20})?)([\w.-]{1,200})([ \t]{0,100}[=:][ \t]{0,100})/;
const MULTILINE_CHARACTERS_MAX = 16_384;

/**
 * Reads an env file. The values are those of dotenv, which is given one assignment at a time:
 * over a whole file, runs of blank lines cost it time beyond any bound.
 */
export function readEnv(content: string): Reading {
  const observations: Observation[] = [];
  const faults: ParseFault[] = [];
  const tokens: Token[] = [];
  for (let at = 0; at < content.length && observations.length < OBSERVATIONS_MAX; ) {
    const next = lineEnd(content, at);
    const line = content.slice(at, next);
    const assignment = ASSIGNMENT.exec(line);
    if (!assignment) {
      const isOdd = !/^\s*(?:#|$)/.test(line) && faults.length <= FAULTS_MAX;
      if (isOdd) faults.push({ at, message: 'this line is not NAME=value' });
      at = next;
      continue;
    }
    const [whole, start = '', name = '', sign = ''] = assignment;
    const from = at + whole.length;
    const named = at + start.length;
    const to = valueEnd(content, from, next);
    const text = dotenvValue(sign + content.slice(from, to));
    const shape = text === '' ? 'empty' : 'text';
    const variable = variableIn(text);
    observations.push({ kind: 'pair', name, path: [], text, variable, shape, from, to });
    tokens.push(
      { kind: 'mark', from: at, to: named },
      { kind: 'name', from: named, to: named + name.length },
      { kind: 'mark', from: named + name.length, to: from },
      { kind: 'text', from, to: textEnd(content, from, to), text },
    );
    at = Math.max(next, lineEnd(content, to));
  }
  return { observations, faults, tokens };
}

function lineEnd(content: string, at: number): number {
  LINE.lastIndex = at;
  LINE.exec(content);
  return Math.max(LINE.lastIndex, at + 1);
}

/** The end of a value: that of its line without the line feed, or its closing quote further on. */
function valueEnd(content: string, from: number, next: number): number {
  const quote = content[from] ?? '';
  const limit = Math.min(content.length, from + MULTILINE_CHARACTERS_MAX);
  if (quote === '"' || quote === "'" || quote === '`') {
    for (let at = from + 1; at < limit; at += 1) {
      if (content[at] === '\\') at += 1;
      else if (content[at] === quote) return at + 1;
    }
  }
  return from + content.slice(from, next).trimEnd().length;
}

/** A value without quotes ends before a comment, which no token covers. */
function textEnd(content: string, from: number, to: number): number {
  const source = content.slice(from, to);
  const [bare = ''] = source.split('#');
  return /^["'`]/.test(source) ? to : from + bare.trimEnd().length;
}

/** The value as dotenv reads it. Its own name is left out, so that none can be a special one. */
function dotenvValue(assignment: string): string {
  // The runs of white space that dotenv is slow with mean nothing that is looked for here.
  const short = assignment.replace(/\s+/g, (run) =>
    /[\n\r\u2028\u2029]/.test(run) ? '\n' : run.slice(0, 10),
  );
  return dotenv.parse(`VALUE${short}`).VALUE ?? '';
}
