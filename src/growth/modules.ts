import './readiness/module.js';
import './value/module.js';
import './partner/module.js';
import './revenue/module.js';
import './analytics/module.js';
import './devex/module.js';
