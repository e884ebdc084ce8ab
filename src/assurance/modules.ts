import './errors/module.js';
