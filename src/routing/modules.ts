import './workloads/module.js';
