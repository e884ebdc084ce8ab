import type { Observation, ParseFault, Reading, Token } from '../observation.js';
import { variableIn } from '../observation.js';
import { FAULTS_MAX, OBSERVATIONS_MAX } from '../vocabulary.js';
import { readJson } from './json.js';

interface Word {
  /** The word as the shell passes it on. */
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** Reads shell commands word by word: addresses, headers and JSON bodies of curl. */
export function readShell(content: string): Reading {
  const faults: ParseFault[] = [];
  const observations: Observation[] = [];
  const tokens: Token[] = [];
  const words = wordsIn(content, faults);
  words.forEach((word, index) => {
    if (observations.length >= OBSERVATIONS_MAX || faults.length > FAULTS_MAX) return;
    const before = words[index - 1]?.text ?? '';
    observations.push(...observed(word, before, content, faults));
    tokens.push(...between(words[index - 1]?.to ?? 0, word.from, content), tokenOf(word, before));
  });
  return { observations, faults, tokens };
}

/** Options are words of curl; whatever follows one that takes a secret stands under its name. */
function tokenOf({ text, from, to }: Word, before: string): Token {
  if (/^--?[a-zA-Z][\w-]{0,30}$/.test(text)) {
    const isShort = text.length === 2;
    return { kind: isShort ? 'mark' : 'name', from, to, text: text.replace(/^--?/, '') };
  }
  return { kind: 'text', from, to, text, under: SECRET_OPTIONS.test(before) ? 'password' : '' };
}

/** The marks that part commands, and the ends of lines that go on. */
function between(from: number, to: number, content: string): Token[] {
  const tokens: Token[] = [];
  for (let at = from; at < to; at += 1) {
    const character = content[at] ?? '';
    if (character === '#') break;
    if (/[\\;|&()]/.test(character)) tokens.push({ kind: 'mark', from: at, to: at + 1 });
  }
  return tokens;
}

const HEADER = /^([\w-]{1,60}):\s*(.*)$/s;
const ASSIGNMENT = /^([A-Za-z_]\w{0,99})=(.*)$/s;
const SECRET_OPTIONS =
  /^(?:-[ubE]|--(?:user|proxy-user|cookie|cert|key|pass|oauth2-bearer|aws-sigv4|tlspassword))$/;
const URL_START = /^["']?https?:\/\//i;

function observed(
  word: Word,
  before: string,
  content: string,
  faults: ParseFault[],
): readonly Observation[] {
  const { text } = word;
  if (/^(?:-H|--header)$/.test(before)) return [pair(word, HEADER.exec(text) ?? [], 'header')];
  if (SECRET_OPTIONS.test(before)) return [pair(word, ['', 'password', text])];
  if (/^(?:-d|--data|--data-raw|--data-binary|--data-ascii|--json)$/.test(before)) {
    return body(word, content, faults);
  }
  const assigned = ASSIGNMENT.exec(text);
  if (assigned) return [pair(word, assigned)];
  return URL_START.test(text) ? [pair(word, ['', 'url', text])] : [];
}

function pair(word: Word, [, name = '', value = '']: readonly string[], around = ''): Observation {
  const { from, to } = word;
  const bare = value.replace(/^(?:bearer|api-key|basic)\s+/i, '');
  return {
    kind: 'pair',
    name: name === '' ? 'url' : name,
    path: around === '' ? [] : [around],
    text: bare,
    variable: variableIn(bare),
    shape: bare === '' ? 'empty' : 'text',
    from,
    to,
  };
}

/** The members of a JSON body. Where the shell changed it, only its beginning is known. */
function body(word: Word, content: string, faults: ParseFault[]): readonly Observation[] {
  const { text, from, to } = word;
  if (!/^\s*[{[]/.test(text)) return [];
  const isAsWritten = content.slice(from + 1, to - 1) === text;
  const reading = readJson(text, isAsWritten ? from + 1 : 0);
  faults.push(...reading.faults.map((fault) => (isAsWritten ? fault : { ...fault, at: from })));
  if (isAsWritten) return reading.observations;
  return reading.observations.map((observation) => ({ ...observation, from, to }));
}

const SPACE = /[\s;|&()]/;

/** Splits text into words as a shell does, without expanding anything. */
function wordsIn(content: string, faults: ParseFault[]): Word[] {
  const words: Word[] = [];
  for (let at = 0; at < content.length; ) {
    const character = content[at] ?? '';
    if (SPACE.test(character)) at += 1;
    else if (character === '\\' && /[\r\n]/.test(content[at + 1] ?? '')) at += 2;
    else if (character === '#') at = endOf(content.indexOf('\n', at), content);
    else {
      const word = wordAt(content, at, faults);
      words.push(word);
      at = word.to;
    }
  }
  return words;
}

function endOf(at: number, content: string): number {
  return at < 0 ? content.length : at;
}

/** A piece of a word: in single quotes, in double ones, behind a backslash, or bare. */
const PIECE = /'([^']*)('?)|"([^"\\]*(?:\\.[^"\\]*)*\\?)("?)|\\(.?)|[^\s;|&()'"\\]+/sy;

function wordAt(content: string, from: number, faults: ParseFault[]): Word {
  let text = '';
  let at = from;
  PIECE.lastIndex = from;
  for (let piece = PIECE.exec(content); piece; piece = PIECE.exec(content)) {
    const [whole, single, end, double, close, escaped] = piece;
    if ((end ?? close) === '') faults.push({ at, message: 'this quote does not end' });
    if (escaped !== undefined) text += /[\r\n]/.test(escaped) ? '' : escaped;
    else text += single ?? double?.replace(/\\(["\\$`])/g, '$1') ?? whole;
    at += whole.length;
  }
  return { text, from, to: at };
}
