import { registerModule } from '../../graph/registration.js';

registerModule('inference/embeddings', {
  mutations: { own_books: ['embeddingsCreate'] },
  load: () => [import('./schema.js')],
});
