import { registerModule } from '../../graph/registration.js';

registerModule('inference/policy-effect', {
  load: () => [import('./schema.js')],
});
