import './tools/module.js';
import './integrations/module.js';
