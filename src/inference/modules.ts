import './chat/module.js';
import './embeddings/module.js';
import './context/module.js';
import './models/module.js';
import './stages/module.js';
import './upstream/module.js';
import './firewall/module.js';
import './policy-effect/module.js';
