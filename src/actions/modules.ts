import './tools/module.js';
import './integrations/module.js';
import './webhook-endpoints/module.js';
