import { expect, it } from 'vitest';
import { builder } from '../../src/graph/builder.js';
import { endpointsText } from '../../tools/endpoints-text.mjs';
import { readText } from '../tidy/files.js';

// It listens to the builder while the schema is built, so it needs modules of its own.
it('the table of endpoints is the one of the rows and modules (else: npm run schema)', async () => {
  const text = await endpointsText({
    builder,
    async load() {
      const { loadRestTable } = await import('../../src/app/rest.js');
      const { MODULES } = await import('../../src/graph/registration.js');
      return { rows: (await loadRestTable()).rows, folders: [...MODULES.keys()] };
    },
  });
  expect(text).toBe(readText('docs/endpoints.md'));
});
