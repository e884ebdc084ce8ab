import './module.js';
import './approvals/module.js';
