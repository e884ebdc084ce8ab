import { registerModule } from '../../graph/registration.js';

registerModule('delivery/migration-import', {
  load: () => [import('./schema.js')],
});
