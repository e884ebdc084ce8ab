import type { Observation, ParseFault, Reading } from '../observation.js';
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
  const words = wordsIn(content, faults);
  words.forEach((word, index) => {
    if (observations.length >= OBSERVATIONS_MAX || faults.length > FAULTS_MAX) return;
    observations.push(...observed(word, words[index - 1]?.text ?? '', content, faults));
  });
  return { observations, faults };
}

const HEADER = /^([\w-]{1,60}):\s*(.*)$/s;
const ASSIGNMENT = /^([A-Za-z_]\w{0,99})=(.*)$/s;
const URL_START = /^["']?https?:\/\//i;

function observed(
  word: Word,
  before: string,
  content: string,
  faults: ParseFault[],
): readonly Observation[] {
  const { text } = word;
  if (/^(?:-H|--header)$/.test(before)) return [pair(word, HEADER.exec(text) ?? [], 'header')];
  if (/^(?:-u|--user|--proxy-user)$/.test(before)) return [pair(word, ['', 'password', text])];
  if (/^(?:-d|--data|--data-raw|--data-binary|--json)$/.test(before)) {
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

function wordAt(content: string, from: number, faults: ParseFault[]): Word {
  let text = '';
  let at = from;
  while (at < content.length) {
    const character = content[at] ?? '';
    if (SPACE.test(character)) break;
    if (character === "'" || character === '"') {
      const end = closing(content, at, character);
      if (end >= content.length) faults.push({ at, message: 'this quote does not end' });
      const inside = content.slice(at + 1, end);
      text += character === '"' ? inside.replace(/\\(["\\$`])/g, '$1') : inside;
      at = end + 1;
    } else if (character === '\\') {
      text += /[\r\n]/.test(content[at + 1] ?? '') ? '' : (content[at + 1] ?? '');
      at += 2;
    } else {
      text += character;
      at += 1;
    }
  }
  return { text, from, to: Math.min(at, content.length) };
}

function closing(content: string, from: number, quote: string): number {
  for (let at = from + 1; at < content.length; at += 1) {
    if (quote === '"' && content[at] === '\\') at += 1;
    else if (content[at] === quote) return at;
  }
  return content.length;
}
