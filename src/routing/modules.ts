import './aliases/module.js';
import './workloads/module.js';
