import { registerModule } from '../../graph/registration.js';

registerModule('assurance/errors', {
  load: () => [import('./schema.js')],
});
