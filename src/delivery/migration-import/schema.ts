import { builder } from '../../graph/builder.js';
import { enumOf, outputOf } from '../../graph/table-types.js';
import { importConfig } from './service.js';
import { IMPORT_REPORT } from './tables.js';
import { IMPORT_KINDS } from './vocabulary.js';

builder.queryField('migrationConfigImport', (t) =>
  t.field({
    type: outputOf(IMPORT_REPORT),
    description:
      'Reads the settings, the code or the exported workflow of a client and says which ' +
      'provider, address, models and capabilities it uses. Nothing is stored.',
    complexity: 50,
    args: {
      kind: t.arg({
        type: enumOf(IMPORT_KINDS),
        required: true,
        description: 'What kind of text it is.',
      }),
      content: t.arg.string({ required: true, description: 'The text, up to 256 KiB.' }),
    },
    resolve: (_root, { kind, content }, ctx) => importConfig(ctx, kind, content),
  }),
);
