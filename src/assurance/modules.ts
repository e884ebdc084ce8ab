import './errors/module.js';
import './trust/module.js';
