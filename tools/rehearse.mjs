// The last step of a build: loads the gateway as a start does, which ends the build where a row, a
// manifest or a module is wrong, and keeps for the starts to come what V8 compiled meanwhile and a
// database that is set up.
import { loadGateway, writeCompiled } from './gateway.mjs';
import { main } from './project.mjs';

await main(async () => {
  const { gateway, compiled } = loadGateway();
  await gateway.rehearse();
  await gateway.packDatabase();
  writeCompiled(compiled());
});
