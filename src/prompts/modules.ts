import './packages/module.js';
import './evaluations/module.js';
import './context-policies/module.js';
import './use/module.js';
import './employee-templates/module.js';
