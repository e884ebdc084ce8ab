import { builder } from '../../graph/builder.js';
import { jsonScalar } from '../../graph/scalars.js';
import { EMBEDDINGS_REQUEST_SCHEMA, EMBEDDINGS_SCHEMA } from '../wire-schemas.js';
import { createEmbeddings } from './create.js';

declare global {
  namespace GatewaySchema {
    interface Scalars {
      EmbeddingsRequest: { Input: unknown; Output: unknown };
      Embeddings: { Input: unknown; Output: unknown };
    }
  }
}

builder.addScalarType(
  'EmbeddingsRequest',
  jsonScalar(
    'EmbeddingsRequest',
    'An embeddings request as SDK clients send it. Unknown fields are kept and forwarded.',
    EMBEDDINGS_REQUEST_SCHEMA,
  ),
  { extensions: { passedOn: true } },
);
builder.addScalarType(
  'Embeddings',
  jsonScalar(
    'Embeddings',
    'A list of embeddings as SDK clients read it, with the receipts.',
    EMBEDDINGS_SCHEMA,
  ),
);

builder.mutationField('embeddingsCreate', (t) =>
  t.field({
    type: 'Embeddings',
    description: 'Turns texts or token arrays into vectors and bills it.',
    authScopes: { can: 'inference.run' },
    args: {
      input: t.arg({
        type: 'EmbeddingsRequest',
        required: true,
        description: 'The request, as the body of the embeddings wire.',
      }),
    },
    resolve: (_root, { input }, ctx) => createEmbeddings(ctx, input),
  }),
);
