import { registerModule } from '../../graph/registration.js';

registerModule('prompts/use', {
  load: () => [import('./references.js'), import('./schema.js')],
});
