// The server of `dist` as it is, without a look at the sources. The server runs in this very
// process, so signals, the exit code and a kill -9 are the server's own.
import { loadGateway } from './gateway.mjs';

await loadGateway().gateway.serve();
