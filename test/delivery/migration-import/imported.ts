import { kindOf, syntaxOf } from '../../../src/delivery/migration-import/kind.js';
import { readText } from '../../../src/delivery/migration-import/read.js';
import { reportOf } from '../../../src/delivery/migration-import/rules.js';
import type { CallableModel } from '../../../src/delivery/migration-import/suggest.js';
import type { ImportReport } from '../../../src/delivery/migration-import/tables.js';
import type { KnownKind } from '../../../src/delivery/migration-import/vocabulary.js';

const CALLABLE: readonly CallableModel[] = [
  {
    id: 'house/chat',
    operation: 'chat',
    capabilities: ['text', 'vision', 'tools', 'json', 'json_schema', 'streaming', 'long_context'],
  },
  { id: 'house/vectors', operation: 'embeddings', capabilities: ['embeddings'] },
];

/** Imports a text as the service does, against a catalogue of two models. */
export async function imported(content: string, given?: KnownKind): Promise<ImportReport> {
  const kind = given ?? kindOf(content);
  if (kind === undefined) throw new Error('the kind cannot be told');
  const syntax = syntaxOf(kind, content);
  const reading = await readText(kind, syntax, content);
  const gatewayBaseUrl = 'https://gw.example/v1';
  return reportOf({ kind, syntax, content, reading, callable: CALLABLE, gatewayBaseUrl });
}
