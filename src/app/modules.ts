// Every context with its modules, lowest first: the published tables are in this order.
import '../records/modules.js';
import '../money/modules.js';
import '../access/modules.js';
import '../catalog/modules.js';
import '../pricing/modules.js';
import '../finops/modules.js';
import '../prompts/modules.js';
import '../routing/modules.js';
import '../inference/modules.js';
import '../actions/modules.js';
import '../delivery/modules.js';
import '../growth/modules.js';
import '../assurance/modules.js';
