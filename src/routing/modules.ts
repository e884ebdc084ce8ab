import './economics/module.js';
import './adaptive/module.js';
import './replay/module.js';
import './aliases/module.js';
import './workloads/module.js';
