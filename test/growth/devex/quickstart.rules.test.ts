import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { printable, snippetOf } from '../../../src/growth/devex/quickstart/snippets.js';
import { STACKS } from '../../../src/growth/devex/vocabulary.js';

describe('an address in code', () => {
  it('cannot end a text of any language, or run in a shell', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (address) => {
        expect(printable(address)).toMatch(/^[\w.~:/[\]%-]*$/);
      }),
    );
  });

  it('stays as it is where it is a plain one', () => {
    for (const address of [
      'https://gw.example.ru',
      'http://[::1]:8080',
      'http://a-b_c.d:1/x%20y',
    ]) {
      expect(printable(address)).toBe(address);
    }
  });

  it('stands in every snippet', () => {
    for (const code of STACKS.codes) {
      expect(snippetOf(code, 'https://gw.example')).toContain('https://gw.example/v1');
      expect(snippetOf(code, 'https://gw.example')).not.toContain('{base_url}');
    }
  });
});
