import { vocabulary } from '../../kernel/vocabulary.js';

/** How the snippet of a stack is checked. */
export const SNIPPET_CHECKS = vocabulary(
  'QuickstartSnippetCheck',
  'How the tests of the gateway check a snippet.',
  [
    { code: 'executed', description: 'It is run as it is printed, against a gateway.' },
    { code: 'parsed', description: 'It is read by a parser of its language, and not run.' },
  ],
);

/** The most that a stack may be called by; a longer name is none. */
export const STACK_LENGTH_MAX = 40;

/** The stack of whoever names none. */
export const STACK_DEFAULT = 'curl';

/**
 * What a first request can be written in. `aliases` are further names that are understood, `file`
 * is what the snippet is saved as, and `install` and `run` are commands of a shell.
 */
export const STACKS = vocabulary('QuickstartStack', 'What a first request can be written in.', [
  {
    code: 'python',
    description: 'Python with the openai package.',
    language: 'python',
    aliases: ['py', 'python3', 'openai-python'],
    file: 'first_request.py',
    install: 'pip install openai',
    run: 'python first_request.py',
    check: 'parsed',
  },
  {
    code: 'node',
    description: 'Node.js with the openai package.',
    language: 'javascript',
    aliases: ['nodejs', 'node.js', 'javascript', 'typescript', 'js', 'ts', 'openai-node'],
    file: 'first-request.mjs',
    install: 'npm install openai',
    run: 'node first-request.mjs',
    check: 'executed',
  },
  {
    code: 'curl',
    description: 'A shell with curl and nothing else.',
    language: 'shell',
    aliases: ['shell', 'sh', 'bash', 'http', 'rest'],
    file: 'first-request.sh',
    install: 'curl --version',
    run: 'sh first-request.sh',
    check: 'executed',
  },
  {
    code: 'go',
    description: 'Go with its standard library.',
    language: 'go',
    aliases: ['golang'],
    file: 'main.go',
    install: 'go mod init first-request',
    run: 'go run main.go',
    check: 'parsed',
  },
  {
    code: 'java',
    description: 'Java 17 or later with its standard library.',
    language: 'java',
    aliases: ['jvm', 'jdk'],
    file: 'FirstRequest.java',
    install: 'java --version',
    run: 'java FirstRequest.java',
    check: 'parsed',
  },
  {
    code: 'php',
    description: 'PHP 8 with its curl extension.',
    language: 'php',
    aliases: ['php8'],
    file: 'first-request.php',
    install: 'php --ri curl',
    run: 'php first-request.php',
    check: 'parsed',
  },
  {
    code: 'langchain',
    description: 'LangChain.js with its client of the chat-completions wire.',
    language: 'javascript',
    aliases: ['langchain-js', 'langchainjs', 'langgraph'],
    file: 'first-request.mjs',
    install: 'npm install @langchain/openai @langchain/core',
    run: 'node first-request.mjs',
    check: 'executed',
  },
  {
    code: 'vercel-ai-sdk',
    description: 'The Vercel AI SDK with its provider for compatible servers.',
    language: 'javascript',
    aliases: ['vercel', 'ai-sdk', 'vercel-ai', 'vercel_ai_sdk'],
    file: 'first-request.mjs',
    install: 'npm install ai @ai-sdk/openai-compatible',
    run: 'node first-request.mjs',
    check: 'executed',
  },
  {
    code: 'n8n',
    description: 'A workflow of n8n, to be imported from its file.',
    language: 'json',
    aliases: ['n8n.io'],
    file: 'first-request.json',
    install: 'npx n8n start',
    run: 'npx n8n import:workflow --input=first-request.json',
    check: 'parsed',
  },
]);

/** What the gateway is used for, with the operations that serve it. */
export const USE_CASES = vocabulary('DevexUseCase', 'What the gateway is commonly used for.', [
  {
    code: 'chat_assistant',
    description: 'A model answers people, whole or as a stream, in the chat-completions wire.',
    operations: ['POST /v1/chat/completions', 'GET /v1/models'],
    capabilities: ['text', 'streaming'],
  },
  {
    code: 'document_extraction',
    description: 'Documents become JSON by a schema that the answer is held to.',
    operations: ['POST /v1/chat/completions', 'POST /v1/gw/workloads/output-plan'],
    capabilities: ['text', 'json_schema'],
  },
  {
    code: 'semantic_search',
    description: 'Texts become vectors that are searched by meaning.',
    operations: ['POST /v1/embeddings'],
    capabilities: ['embeddings'],
  },
  {
    code: 'agent_actions',
    description: 'An agent asks for actions, which rules allow, block or send to an approver.',
    operations: ['POST /v1/gw/tools/preview', 'POST /v1/gw/tools/execute'],
    capabilities: ['text', 'tools'],
  },
  {
    code: 'image_understanding',
    description: 'A model reads images that stand beside the text of a request.',
    operations: ['POST /v1/chat/completions'],
    capabilities: ['text', 'vision'],
  },
  {
    code: 'provider_migration',
    description: 'A client moves here by its base address and key, checked before the cut-over.',
    operations: ['POST /v1/gw/migration/import-config', 'POST /v1/gw/migration/cockpit'],
    capabilities: ['text'],
  },
  {
    code: 'client_billing',
    description: 'Usage is told apart by feature and client, and billed on by recorded terms.',
    operations: ['GET /v1/gw/cost/by-client', 'GET /v1/gw/partner/report'],
    capabilities: ['text'],
  },
]);

/** What is to be known of capabilities before a model is chosen by them. */
export const CAPABILITY_NOTES = vocabulary(
  'DevexCapabilityNote',
  'What is to be known of the capability matrix.',
  [
    {
      code: 'declared',
      description:
        'Capabilities and tiers are declared by the catalogue and the operator; nobody has ' +
        'measured them for your use. Measured quality stands in scorecards of your organization.',
    },
    {
      code: 'held_to',
      description:
        'A request is held to them: what no route of its model can do is refused with ' +
        'capability_unsupported before anything is charged.',
    },
    {
      code: 'automatic',
      description:
        'gw:auto has each capability that some callable model has, and chooses a model that has ' +
        'all that the request uses.',
    },
    {
      code: 'callable',
      description:
        'A route of the status adapter_ready is known but cannot be called on this server; ' +
        'status_reason says what would change that.',
    },
    {
      code: 'simulated',
      description: 'Routes that are simulated answer what was made up, without any model.',
    },
  ],
);
