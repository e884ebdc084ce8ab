// A stand-in for a provider: speaks the chat wire over HTTP, misbehaves as told, and records what
// it received and how each exchange ended. Runs in process, or by itself:
//   node test/support/upstream-double.mjs [port]        prints {"origin":"http://127.0.0.1:…"}
// The first part of a path is a lane (`http://host/<lane>/v1`), so one process can be several
// providers. Behaviours queue per lane; the last one stays. Control:
//   POST /control/<lane>  [behaviour, …]      GET /control/log      DELETE /control/log
import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const TEXT = 'Привет, this is the double speaking 🙂 and it ends here.';
const USAGE = { prompt_tokens: 11, completion_tokens: 7, total_tokens: 18 };

export async function startUpstreamDouble(port = 0) {
  const lanes = new Map();
  const log = [];
  const sockets = new Set();
  const server = createServer((request, response) => {
    const parts = [];
    request.on('data', (part) => parts.push(part));
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8');
      const [, lane = '', ...rest] = (request.url ?? '').split('/');
      if (lane === 'control') {
        control(request.method, rest[0] ?? '', body, response, { lanes, log });
        return;
      }
      const entry = {
        lane,
        index: log.filter((other) => other.lane === lane).length,
        path: `/${rest.join('/')}`,
        headers: { ...request.headers },
        body,
        atMs: performance.now(),
        chunks: 0,
        end: 'open',
        endMs: null,
      };
      log.push(entry);
      response.on('close', () => {
        if (entry.end === 'open') entry.end = response.writableFinished ? 'finished' : 'aborted';
        entry.endMs = performance.now();
      });
      const queue = lanes.get(lane) ?? [{}];
      const behaviour = queue.length > 1 ? queue.shift() : queue[0];
      answer(behaviour ?? {}, body, entry, response).catch(() => response.destroy());
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise((resolve) => server.listen(port, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  return {
    origin,
    log,
    script: (lane, ...behaviours) => lanes.set(lane, behaviours),
    received: (lane) => log.filter((entry) => entry.lane === lane),
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function control(method, name, body, response, { lanes, log }) {
  response.setHeader('content-type', 'application/json');
  if (method === 'POST') lanes.set(name, JSON.parse(body));
  if (method === 'DELETE') log.length = 0;
  response.end(JSON.stringify(method === 'GET' ? log : { ok: true }));
}

async function answer(behaviour, body, entry, response) {
  if (behaviour.blackHole) return;
  if (behaviour.delayMs) await sleep(behaviour.delayMs);
  // Sevens spread the share evenly over any ten requests, so that a test is the same every time.
  const struck = behaviour.resetShare > 0 && (entry.index * 7) % 10 < behaviour.resetShare * 10;
  if (behaviour.reset || struck) {
    entry.end = 'reset';
    response.destroy();
    return;
  }
  const status = behaviour.status ?? 200;
  const headers = behaviour.headers ?? {};
  if (behaviour.raw !== undefined) {
    response.writeHead(status, { 'content-type': 'text/plain', ...headers });
    if (behaviour.splitBytes) await write(response, behaviour.raw, behaviour);
    response.end(behaviour.splitBytes ? '' : behaviour.raw);
    return;
  }
  if (status !== 200) {
    const message = behaviour.message ?? `double says ${status}`;
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { message, type: 'double_error', code: null } }));
    return;
  }
  const request = JSON.parse(body);
  if (request.stream_options && request.stream !== true) {
    const message = 'stream_options may only stand beside stream: true';
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message, type: 'invalid_request_error' } }));
    return;
  }
  if (entry.path.endsWith('/embeddings')) embeddings(request, behaviour, response);
  else if (request.stream) await stream(request, behaviour, entry, response);
  else whole(request, behaviour, response);
}

function embeddings(request, behaviour, response) {
  const inputs = Array.isArray(request.input) ? request.input : [request.input];
  const data = inputs.map((_, index) => ({ object: 'embedding', index, embedding: [1, 0, 0] }));
  const usage = { prompt_tokens: inputs.length, total_tokens: inputs.length };
  send(response, { object: 'list', model: request.model, data, ...usageMember(behaviour, usage) });
}

function whole(request, behaviour, response) {
  const message = { role: 'assistant', content: behaviour.text ?? TEXT, refusal: null };
  const body = {
    id: 'chatcmpl-double',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: request.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: 'stop' }],
    ...usageMember(behaviour, USAGE),
  };
  if (behaviour.cutAfter === undefined) send(response, body);
  else {
    const bytes = Buffer.from(JSON.stringify(body));
    response.writeHead(200, { 'content-length': bytes.length });
    response.write(bytes.subarray(0, bytes.length >> 1), () => response.destroy());
  }
}

function send(response, body) {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}

async function stream(request, behaviour, entry, response) {
  const head = {
    id: 'chatcmpl-double',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: request.model,
  };
  const wantsUsage = request.stream_options?.include_usage === true;
  const none = wantsUsage ? { usage: null } : {};
  const chunk = (delta, finish_reason = null) => ({
    ...head,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...none,
  });
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  if (behaviour.firstByteDelayMs) await sleep(behaviour.firstByteDelayMs);
  if (behaviour.silentAfterHeaders) return;
  const pieces = (behaviour.text ?? TEXT).match(/\s*\S+/g) ?? [];
  const repeated = Array.from({ length: behaviour.repeat ?? 1 }, () => pieces).flat();
  const events = [chunk({ role: 'assistant', content: '' })];
  for (const piece of repeated) events.push(chunk({ content: piece }));
  if (!behaviour.withoutFinish) events.push(chunk({}, 'stop'));
  const usage = usageMember(behaviour, USAGE);
  if (wantsUsage && 'usage' in usage) events.push({ ...head, choices: [], ...usage });
  if (behaviour.oneWrite) response.cork();
  for (const [index, event] of events.entries()) {
    if (index === behaviour.cutAfter) {
      // What was written shall arrive before the connection goes.
      await sleep(20);
      response.destroy();
      return;
    }
    if (index === behaviour.silentAfter) return;
    if (index === behaviour.insertAfter) await write(response, behaviour.insert, behaviour);
    if (index === behaviour.errorAfter) {
      await write(response, 'data: {"error":{"message":"double broke","code":500}}\n\n', behaviour);
      response.end();
      return;
    }
    if (behaviour.gapMs && index > 0) await sleep(behaviour.gapMs);
    if (response.destroyed) return;
    await write(response, `data: ${JSON.stringify(event)}\n\n`, behaviour);
    entry.chunks += 1;
  }
  if (!behaviour.withoutDone) await write(response, 'data: [DONE]\n\n', behaviour);
  if (behaviour.oneWrite) response.uncork();
  if (!behaviour.neverEnds) response.end();
}

function usageMember(behaviour, usage) {
  if (behaviour.usage === null) return {};
  return { usage: behaviour.usage ?? usage };
}

async function write(response, text, behaviour) {
  const lines = behaviour.carriageReturns ? text.replaceAll('\n', '\r\n') : text;
  const bytes = Buffer.from(lines, behaviour.latin ? 'latin1' : 'utf8');
  const size = behaviour.splitBytes ?? bytes.length;
  for (let at = 0; at < bytes.length; at += size) {
    const more = response.write(bytes.subarray(at, at + size));
    if (behaviour.splitBytes) await new Promise((resolve) => setImmediate(resolve));
    if (!more && !response.destroyed && !behaviour.oneWrite) {
      await new Promise((resolve) => {
        const go = () => {
          response.off('drain', go);
          response.off('close', go);
          resolve();
        };
        response.on('drain', go);
        response.on('close', go);
      });
    }
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const double = await startUpstreamDouble(Number(process.argv[2] ?? 0));
  process.stdout.write(`${JSON.stringify({ origin: double.origin })}\n`);
  process.on('SIGTERM', () => void double.close().then(() => process.exit(0)));
}
