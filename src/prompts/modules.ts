import './packages/module.js';
import './context-policies/module.js';
import './use/module.js';
