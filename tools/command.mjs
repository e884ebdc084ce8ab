// The command line of `dist` as it is: `node tools/command.mjs doctor`.
import { loadGateway } from './gateway.mjs';

await loadGateway().gateway.runCommand(process.argv.slice(2));
