import './providers/module.js';
