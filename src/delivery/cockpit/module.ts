import { registerModule } from '../../graph/registration.js';

registerModule('delivery/cockpit', {
  mutations: {
    own_books: ['migrationCheckRun'],
  },
  load: () => [import('./reference.js'), import('./schema.js')],
});
