import './errors/module.js';
import './certification/module.js';
import './trust/module.js';
import './procurement/module.js';
import './audit/module.js';
import './transparency/module.js';
