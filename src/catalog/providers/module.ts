import { registerModule } from '../../graph/registration.js';

registerModule('catalog/providers', {
  load: () => [import('./schema.js')],
});
