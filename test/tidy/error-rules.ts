import { MODULES } from '../../src/graph/registration.js';
import { ERRORS } from '../../src/kernel/errors/catalogue.js';
import { at, codeBelow, type SourceFile } from './files.js';
import { ORDER } from './import-rules.js';

const PRODUCT = codeBelow('src', 'rest-compat');
const CONSTANT_TOKENS_MAX = 40;
const THROWERS = new Set(['fail', 'GatewayError', 'UpstreamFailure']);

/** Codes that are thrown and that the catalogue lacks. */
export function uncataloguedCodes(): string[] {
  return PRODUCT.flatMap((file) =>
    throwsOf(file)
      .filter(({ code }) => !(code in ERRORS))
      .map(({ code, line }) => at(file, line, `throws ${code}`)),
  );
}

/** Failures whose message would show a place that the thrower did not fill. */
export function unfilledPlaces(): string[] {
  const places = new Map<string, string[]>(
    Object.entries(ERRORS).map(([code, { message }]) => [
      code,
      [...message.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? ''),
    ]),
  );
  return PRODUCT.flatMap((file) =>
    throwsOf(file).flatMap(({ code, line, words }) =>
      (places.get(code) ?? [])
        .filter((place) => !words.has(place) && !words.has('details'))
        .map((place) => at(file, line, `throws ${code} without ${place}`)),
    ),
  );
}

/** Codes that a context throws although only one above it registers them. */
export function codesFromAbove(): string[] {
  const places = new Map(
    [...MODULES].flatMap(([folder, { errors = {} }]) =>
      Object.keys(errors).map((code) => [code, placeOf(folder)] as const),
    ),
  );
  return PRODUCT.flatMap((file) =>
    throwsOf(file)
      .filter(({ code }) => (places.get(code) ?? 0) > placeOf(file.path.replace(/^src\//, '')))
      .map(({ code, line }) => at(file, line, `throws ${code}, which stands higher`)),
  );
}

/** The place of a folder's context in the order of contexts; what is none knows the kernel. */
function placeOf(folder: string): number {
  return Math.max(0, ORDER.indexOf(folder.split('/')[0] ?? ''));
}

interface Throw {
  readonly code: string;
  readonly line: number;
  /** Every word among the arguments. */
  readonly words: ReadonlySet<string>;
}

/** The places of a file that throw a code which stands there. */
function throwsOf({ tokens }: SourceFile): Throw[] {
  return tokens.flatMap((token, index) => {
    const code = tokens[index + 2];
    const isCall = token.kind === 'word' && THROWERS.has(token.text);
    if (!isCall || tokens[index + 1]?.text !== '(' || code?.kind !== 'text') return [];
    let end = index + 2;
    for (let depth = 1; depth > 0 && end < tokens.length; end += 1) {
      const { kind, text } = tokens[end] ?? code;
      if (kind === 'mark' && text === '(') depth += 1;
      if (kind === 'mark' && text === ')') depth -= 1;
    }
    // `values` alone is a constant that was filled shortly before.
    const isNamed = tokens
      .slice(index, end)
      .some(({ text }, at) => text === 'values' && tokens[index + at + 1]?.text !== ':');
    const start = isNamed ? Math.max(0, index - CONSTANT_TOKENS_MAX) : index + 3;
    const words = tokens.slice(start, end).filter(({ kind }) => kind === 'word');
    return [{ code: code.text, line: token.line, words: new Set(words.map(({ text }) => text)) }];
  });
}

/** Codes of the catalogue that no code names, so that nothing can raise them. */
export function unraisedCodes(): string[] {
  const catalogue = /^src\/(kernel\/errors\/(?!fail\.ts$)|.*\/errors\.ts$)/;
  const named = new Set(
    PRODUCT.filter(({ path }) => !catalogue.test(path)).flatMap(({ tokens }) =>
      tokens.filter(({ kind }) => kind === 'text').map(({ text }) => text),
    ),
  );
  return Object.keys(ERRORS).filter((code) => !named.has(code));
}
