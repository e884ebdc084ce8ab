/*
 * Starts GraphiQL on its page. Queries and mutations go to /graphql by POST, subscriptions over a
 * WebSocket on the same address; what stands in the headers editor goes with both, over the
 * socket as connection parameters. Headers are forgotten with the page: they hold a credential.
 */

{
  const language = document.documentElement.lang;
  // What the script says stands in the page, in the language of the page.
  const root = document.querySelector('#root');
  const { credential, help } = JSON.parse(root.dataset.words);

  const workers = {
    editorWorkerService: '/assets/editor-worker.js',
    json: '/assets/json-worker.js',
    graphql: '/assets/graphql-worker.js',
  };
  self.MonacoEnvironment = {
    globalAPI: false,
    getWorkerUrl: (_module, label) => workers[label] || workers.editorWorkerService,
  };

  const address = new URL('/graphql', location.href);
  const socketAddress = new URL(address);
  socketAddress.protocol = location.protocol === 'https:' ? 'wss:' : 'ws:';

  async function post(body, headers) {
    const response = await fetch(address, {
      method: 'POST',
      headers: {
        accept: 'application/graphql-response+json, application/json',
        'accept-language': language,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify(body),
    });
    return response.json();
  }

  function lowerNames(headers) {
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
    );
  }

  // Each subscription has a socket of its own, closed when it ends or is stopped: the next one
  // may carry another credential.
  function follow(body, headers) {
    const connectionParams = lowerNames(headers);
    const client = graphqlWs.createClient({
      url: socketAddress.href,
      connectionParams,
      retryAttempts: 0,
    });
    return client.iterate(body);
  }

  function isSubscription({ operationName }, document) {
    const operations = (document?.definitions || []).filter(
      (definition) => definition.kind === 'OperationDefinition',
    );
    const chosen = operationName
      ? operations.find(({ name }) => name && name.value === operationName)
      : operations[0];
    return chosen !== undefined && chosen.operation === 'subscription';
  }

  function fetcher(body, options) {
    const { headers = {}, documentAST } = options || {};
    return isSubscription(body, documentAST) ? follow(body, headers) : post(body, headers);
  }

  YogaGraphiQL.renderYogaGraphiQL(root, {
    fetcher,
    title: 'gw',
    logo: '<img src="/assets/icon.svg" width="26" height="26" alt="">',
    shouldPersistHeaders: false,
    defaultEditorToolsVisibility: 'headers',
    headers: '{\n  "Authorization": "Bearer "\n}',
    defaultQuery: [
      `# ${credential}`,
      `# ${help}`,
      '{',
      '  me {',
      '    kind',
      '    role',
      '    permissions',
      '  }',
      '}',
      '',
    ].join('\n'),
  });
}
