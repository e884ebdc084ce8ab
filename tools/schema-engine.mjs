#!/usr/bin/env node
// The schema engine that the Prisma command line talks to, without its downloaded binary.
//
// `prisma generate`, `migrate` and `db` start the program named by PRISMA_SCHEMA_ENGINE_BINARY and
// speak JSON-RPC with it, a line a message. This one serves the same methods from the official
// WASM build of the same engine (@prisma/schema-engine-wasm) with @prisma/adapter-pg as its way to
// the database. The protocol is internal to Prisma: try every command again when Prisma changes.
import { readArguments } from './schema-engine/arguments.mjs';
import { runCommand } from './schema-engine/command.mjs';
import { serve } from './schema-engine/serve.mjs';

const options = readArguments(process.argv.slice(2));
if (options.command) process.exit(await runCommand(options));
serve(options);
