import { registerModule } from '../../graph/registration.js';

registerModule('assurance/audit', {
  load: () => [import('./schema.js')],
});
