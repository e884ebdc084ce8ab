import './auth/module.js';
import './keys/module.js';
import './organization/module.js';
import './policies/module.js';
import './budgets/module.js';
import './abuse/module.js';
import './workspaces/module.js';
