import { ERRORS } from '../../src/kernel/errors/catalogue.js';
import { at, codeBelow } from './files.js';

const PRODUCT = codeBelow('src', 'rest-compat');
const THROWERS = new Set(['fail', 'GatewayError', 'UpstreamFailure']);

/** Codes that are thrown and that the catalogue lacks. */
export function uncataloguedCodes(): string[] {
  return PRODUCT.flatMap((file) =>
    file.tokens.flatMap((token, index) => {
      const open = file.tokens[index + 1];
      const code = file.tokens[index + 2];
      const throws = token.kind === 'word' && THROWERS.has(token.text) && open?.text === '(';
      if (!throws || code?.kind !== 'text' || code.text in ERRORS) return [];
      return [at(file, token.line, `throws ${code.text}`)];
    }),
  );
}

/** Codes of the catalogue that no code names, so that nothing can raise them. */
export function unraisedCodes(): string[] {
  const catalogue = /^src\/kernel\/errors\/(?!fail\.ts$)/;
  const named = new Set(
    PRODUCT.filter(({ path }) => !catalogue.test(path)).flatMap(({ tokens }) =>
      tokens.filter(({ kind }) => kind === 'text').map(({ text }) => text),
    ),
  );
  return Object.keys(ERRORS).filter((code) => !named.has(code));
}
