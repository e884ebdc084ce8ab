import { registerModule } from '../../graph/registration.js';

registerModule('catalog/batch-templates', {
  load: () => [import('./schema.js')],
});
