import './providers/module.js';
import './fleet/module.js';
import './batch-templates/module.js';
