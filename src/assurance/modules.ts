import './errors/module.js';
import './certification/module.js';
