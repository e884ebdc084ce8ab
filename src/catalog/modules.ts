import './providers/module.js';
import './fleet/module.js';
