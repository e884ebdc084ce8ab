import './readiness/module.js';
