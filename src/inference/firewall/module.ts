import { registerModule } from '../../graph/registration.js';

registerModule('inference/firewall', {
  load: () => [import('./references.js')],
});
