import { registerModule } from '../../graph/registration.js';

registerModule('delivery/cockpit', {
  mutations: {
    one_commit: ['migrationReportShare', 'migrationReportUnshare'],
    own_books: ['migrationCheckRun'],
  },
  load: () => [import('./reference.js'), import('./schema.js')],
});
