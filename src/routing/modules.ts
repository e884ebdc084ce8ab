import './economics/module.js';
import './adaptive/module.js';
import './workloads/module.js';
