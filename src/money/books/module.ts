import { registerModule } from '../../graph/registration.js';

registerModule('money/books', {
  load: () => [import('./schema.js')],
});
