import './blueprints/module.js';
import './migration/module.js';
import './migration-import/module.js';
import './cockpit/module.js';
import './prompt-evaluations/module.js';
