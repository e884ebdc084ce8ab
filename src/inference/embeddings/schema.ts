import { builder } from '../../graph/builder.js';
import '../chat/wire-scalars.js';
import { createEmbeddings } from './create.js';

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
