import { registerModule } from '../../graph/registration.js';

registerModule('finops/observability', {
  load: () => [import('./reference.js'), import('./schema.js')],
});
