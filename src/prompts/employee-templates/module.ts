import { registerModule } from '../../graph/registration.js';

registerModule('prompts/employee-templates', {
  load: () => [import('./schema.js')],
});
