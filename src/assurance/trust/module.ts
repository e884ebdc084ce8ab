import { registerModule } from '../../graph/registration.js';

registerModule('assurance/trust', {
  load: () => [import('./reference.js'), import('./schema.js')],
});
